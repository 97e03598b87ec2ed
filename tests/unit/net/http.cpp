#include "net/http.hpp"

#include <fcntl.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "server.hpp"

namespace chorus::net {
namespace {

using std::chrono::milliseconds;

std::int64_t elapsed_ms(const std::function<void()>& run) {
    const auto began = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began)
        .count();
}

// Long enough for a slow machine, short enough for a test.
Transport quick() {
    Transport transport;
    transport.timeouts = {5000, 5000, 5000};
    return transport;
}

Got send(Client& client, HttpRequest request) {
    Got got;
    got.response = client.send(request, [&](std::string_view bytes) {
        got.body += bytes;
        return Received::answer;
    });
    return got;
}

Got post(const std::string& url, Transport transport = quick()) {
    Client client(std::move(transport));
    HttpRequest request;
    request.url = url;
    request.body = "{}";
    return send(client, request);
}

// Answers one request with these bytes and closes.
Server::Serve once(std::string bytes) {
    return [bytes](Peer& peer) {
        peer.read_request();
        peer.send(bytes);
    };
}

TEST(Http, PostsBodyAndHeadersAndNothingOfItsOwnTaste) {
    std::string seen;
    Server server([&](Peer& peer) {
        seen = peer.read_request();
        peer.send_answer("fine", "X-Request-Id: r1\r\n");
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url("/v1/messages?beta=true");
    request.headers = {"x-api-key: k1", "content-type: application/json"};
    request.body = std::string(100'000, 'b');
    const Got got = send(client, request);
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.response.fault_message, "");
    EXPECT_EQ(got.response.status, 200);
    EXPECT_EQ(got.body, "fine");
    EXPECT_EQ(got.response.streamed_bytes, 4U);
    EXPECT_EQ(got.response.headers.at("x-request-id"), "r1");
    EXPECT_TRUE(seen.starts_with("POST /v1/messages?beta=true HTTP/1.1\r\n"))
        << seen.substr(0, 200);
    EXPECT_NE(seen.find("\r\nx-api-key: k1\r\n"), std::string::npos);
    EXPECT_NE(seen.find("\r\nAccept-Encoding: gzip\r\n"), std::string::npos);
    EXPECT_EQ(seen.find("Expect"), std::string::npos);
    EXPECT_EQ(seen.find("urlencoded"), std::string::npos);
    EXPECT_TRUE(seen.ends_with(request.body));
}

TEST(Http, GetsAndDeletesWithoutABody) {
    std::vector<std::string> seen;
    Server server([&](Peer& peer) {
        for (std::string request; !(request = peer.read_request()).empty();) {
            seen.push_back(request);
            peer.send_answer("ok");
        }
    });
    Client client(quick());
    for (const char* method : {"POST", "GET", "DELETE", "GET"}) {
        HttpRequest request;
        request.method = method;
        request.url = server.url();
        EXPECT_EQ(send(client, request).body, "ok");
    }
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_TRUE(seen[0].starts_with("POST /v1 ")) << seen[0];
    EXPECT_NE(seen[0].find("Content-Length: 0"), std::string::npos);
    EXPECT_TRUE(seen[1].starts_with("GET /v1 ")) << seen[1];
    EXPECT_TRUE(seen[2].starts_with("DELETE /v1 ")) << seen[2];
    EXPECT_TRUE(seen[3].starts_with("GET /v1 ")) << seen[3];
    EXPECT_EQ(seen[1].find("Content-"), std::string::npos);
}

TEST(Http, HandsOnBytesBeforeTheAnswerEnds) {
    std::mutex mutex;
    std::condition_variable changed;
    bool first_came = false;
    Server server([&](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n");
        std::unique_lock lock(mutex);
        changed.wait_for(lock, milliseconds(4000), [&] { return first_came; });
        peer.send("6\r\nsecond\r\n0\r\n\r\n");
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    std::string body;
    const auto response = client.send(request, [&](std::string_view bytes) {
        const std::lock_guard lock(mutex);
        body += bytes;
        first_came = true;
        changed.notify_one();
        return Received::answer;
    });
    EXPECT_EQ(body, "firstsecond");
    EXPECT_EQ(response.fault, TransportFault::none);
}

TEST(Http, UsesAConnectionAgain) {
    Server server([](Peer& peer) {
        while (!peer.read_request().empty()) peer.send_answer("ok");
    });
    Client client(quick());
    for (int i = 0; i < 5; ++i) {
        HttpRequest request;
        request.url = server.url();
        EXPECT_EQ(send(client, request).body, "ok");
    }
    EXPECT_EQ(server.connections(), 1);
}

TEST(Http, GoesOnWhereAnIdleConnectionWasClosed) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send_answer("ok");
    });
    Client client(quick());
    for (int i = 0; i < 3; ++i) {
        HttpRequest request;
        request.url = server.url();
        EXPECT_EQ(send(client, request).body, "ok");
    }
    EXPECT_EQ(server.connections(), 3);
}

TEST(HttpFault, ConnectionRefused) {
    int port = 0;
    {
        const Server gone([](Peer&) {});
        port = gone.port();
    }
    const Got got = post("http://127.0.0.1:" + std::to_string(port) + "/");
    EXPECT_EQ(got.response.fault, TransportFault::connect);
    EXPECT_EQ(got.response.fault_message, "connection refused: 127.0.0.1:" + std::to_string(port));
    EXPECT_EQ(got.response.status, 0);
}

TEST(HttpFault, UnknownHost) {
    const Got got = post("https://x.invalid/v1?key=secret");
    EXPECT_EQ(got.response.fault, TransportFault::dns);
    EXPECT_EQ(got.response.fault_message, "host not found: x.invalid:443");
}

TEST(HttpFault, NoConnectionInTime) {
    // A server that accepts and then never shakes hands.
    Server server([](Peer& peer) { peer.wait_until_client_leaves(); });
    Transport transport = quick();
    transport.timeouts.connect_ms = 200;
    Got got;
    const auto ms = elapsed_ms([&] { got = post("https://" + server.place() + "/", transport); });
    EXPECT_EQ(got.response.fault, TransportFault::timeout);
    EXPECT_EQ(got.response.fault_message, "no connection within 0.2 s: " + server.place());
    EXPECT_GE(ms, 199);
    EXPECT_LT(ms, 2000);
}

TEST(HttpFault, NoAnswerInTime) {
    Server server([](Peer& peer) { peer.wait_until_client_leaves(); });
    Transport transport = quick();
    transport.timeouts.first_byte_ms = 200;
    Got got;
    const auto ms = elapsed_ms([&] { got = post(server.url(), transport); });
    EXPECT_EQ(got.response.fault, TransportFault::timeout);
    EXPECT_EQ(got.response.fault_message, "no answer within 0.2 s: " + server.place());
    EXPECT_GE(ms, 199);
    EXPECT_LT(ms, 2000);
}

TEST(HttpFault, StalledAfterTheFirstByte) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n");
        peer.wait_until_client_leaves();
    });
    Transport transport = quick();
    transport.timeouts.stall_ms = 200;
    Got got;
    const auto ms = elapsed_ms([&] { got = post(server.url(), transport); });
    EXPECT_EQ(got.response.fault, TransportFault::stalled);
    EXPECT_EQ(got.response.fault_message, "no data for 0.2 s: " + server.place());
    EXPECT_EQ(got.response.status, 200);
    EXPECT_EQ(got.body, "first");
    EXPECT_LT(ms, 2000);
}

TEST(Http, CommentsAreSignsOfLife) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for (int i = 0; i < 10; ++i) {
            peer.send("2\r\n:\n\r\n");
            std::this_thread::sleep_for(milliseconds(100));
        }
        peer.send("0\r\n\r\n");
    });
    Transport transport = quick();
    transport.timeouts.stall_ms = 700;
    EXPECT_EQ(post(server.url(), transport).response.fault, TransportFault::none);
}

TEST(Http, ThinkingAfterTheHeaderIsNoStall) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
        std::this_thread::sleep_for(milliseconds(400));
        peer.send("ok");
    });
    Transport transport = quick();
    transport.timeouts.stall_ms = 100;
    EXPECT_EQ(post(server.url(), transport).body, "ok");
}

Response receive(const Server& server, const Transport& transport,
                 const std::function<Received(std::string_view)>& sink) {
    Client client(transport);
    HttpRequest request;
    request.url = server.url();
    return client.send(request, sink);
}

// A reasoning model's server sends events and comments for minutes before the answer.
TEST(Http, WhatComesBeforeTheAnswerHasTheLongBudget) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n:\n");
        std::this_thread::sleep_for(milliseconds(400));
        peer.send(":\nok");
    });
    Transport transport = quick();
    transport.timeouts.stall_ms = 100;
    const Response response = receive(server, transport, [](std::string_view bytes) {
        return bytes.ends_with("ok") ? Received::answer : Received::preamble;
    });
    EXPECT_EQ(response.fault, TransportFault::none) << response.fault_message;
}

TEST(Http, TheBodyOfAnErrorIsNotWaitedForLong) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n{\"error\":\"so\"}");
        for (int i = 0; i < 40; ++i) {
            peer.send(" ");
            std::this_thread::sleep_for(milliseconds(100));
        }
    });
    Transport transport = quick();
    transport.timeouts.error_body_ms = 200;
    Got got;
    const auto ms = elapsed_ms([&] { got = post(server.url(), transport); });
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.response.status, 400);
    EXPECT_TRUE(got.response.body.starts_with("{\"error\":\"so\"}"));
    EXPECT_LT(ms, 2000);
}

TEST(Http, EachByteBeforeTheAnswerBeginsTheLongBudgetAnew) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for (int i = 0; i < 10; ++i) {
            peer.send("2\r\n:\n\r\n");
            std::this_thread::sleep_for(milliseconds(100));
        }
        peer.wait_until_client_leaves();
    });
    Transport transport = quick();
    transport.timeouts.first_byte_ms = 700;
    Response response;
    const auto ms = elapsed_ms([&] {
        response = receive(server, transport, [](std::string_view) { return Received::preamble; });
    });
    EXPECT_EQ(response.fault, TransportFault::timeout);
    EXPECT_EQ(response.fault_message, "no answer within 0.7 s: " + server.place());
    EXPECT_GE(ms, 1500);
}

TEST(Http, AWholeAnswerIsNotWaitedFor) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nwhole\r\n");
        peer.wait_until_client_leaves();
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    Response response;
    const auto ms = elapsed_ms(
        [&] { response = client.send(request, [](std::string_view) { return Received::whole; }); });
    EXPECT_EQ(response.fault, TransportFault::none) << response.fault_message;
    EXPECT_LT(ms, 500);
}

TEST(Http, AServerThatTalksOnIsNotListenedTo) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (int i = 0; i < 100'000; ++i) peer.send(std::string(4096, 'x'));
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    const auto ms = elapsed_ms([&] {
        const Response response =
            client.send(request, [](std::string_view) { return Received::whole; });
        EXPECT_EQ(response.fault, TransportFault::none) << response.fault_message;
    });
    EXPECT_LT(ms, 500);
}

TEST(Http, TheConnectionOfAWholeAnswerIsUsedAgain) {
    Server server([](Peer& peer) {
        while (!peer.read_request().empty()) {
            peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nwhole\r\n");
            std::this_thread::sleep_for(milliseconds(10));
            peer.send("0\r\n\r\n");
        }
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(client.send(request, [](std::string_view) { return Received::whole; }).fault,
                  TransportFault::none);
    EXPECT_EQ(server.connections(), 1);
}

TEST(HttpFault, CutInMidAnswer) {
    for (const char* answer :
         {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n",
          "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n50\r\nfirst",
          "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nfirst"}) {
        Server server(once(answer));
        const Got got = post(server.url());
        EXPECT_EQ(got.response.fault, TransportFault::cut) << answer;
        EXPECT_EQ(got.response.fault_message, "connection cut: " + server.place());
        EXPECT_EQ(got.body, "first");
        EXPECT_EQ(got.response.status, 200);
    }
}

TEST(HttpFault, ResetInMidAnswer) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\nfirst");
        peer.reset_on_close();
    });
    EXPECT_EQ(post(server.url()).response.fault, TransportFault::cut);
}

TEST(HttpFault, ClosedWithoutAnAnswer) {
    Server server(once(""));
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::empty);
    EXPECT_EQ(got.response.fault_message, "connection closed without an answer: " + server.place());
}

TEST(HttpFault, NotHttpAtAll) {
    Server server(once("SSH-2.0-OpenSSH_9.2\r\n"));
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::other);
    EXPECT_NE(got.response.fault_message.find(server.place()), std::string::npos);
}

TEST(Http, DoesNotFollowRedirects) {
    Server other([](Peer& peer) { peer.read_request(); });
    for (const char* status : {"301 Moved", "302 Found", "307 Temporary", "308 Permanent"}) {
        Server server([&](Peer& peer) {
            peer.read_request();
            peer.send_answer("elsewhere", "location: " + other.url() + "\r\n", status);
        });
        const Got got = post(server.url());
        EXPECT_EQ(got.response.fault, TransportFault::none);
        EXPECT_EQ(got.response.status, std::atoi(status));
        EXPECT_EQ(got.response.body, "elsewhere");
        EXPECT_EQ(got.body, "");
    }
    EXPECT_EQ(other.connections(), 0);
}

TEST(Http, KeepsTheBodyOfAnErrorForItself) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send_answer("{\"error\": 1}", "Retry-After: 3\r\n", "529 Overloaded");
    });
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.response.status, 529);
    EXPECT_EQ(got.response.body, "{\"error\": 1}");
    EXPECT_EQ(got.body, "");
    EXPECT_EQ(got.response.streamed_bytes, 0U);
    EXPECT_EQ(got.response.retry_after_ms, 3000);
}

TEST(Http, ReadsRetryAfterAsADate) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send_answer("",
                         "Date: Fri, 20 Nov 2026 10:00:00 GMT\r\n"
                         "Retry-After: Fri, 20 Nov 2026 10:01:30 GMT\r\n",
                         "429 Slow down");
    });
    EXPECT_EQ(post(server.url()).response.retry_after_ms, 90'000);
}

TEST(Http, CapsTheBodyOfAnErrorThatNeverEnds) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 500 Oh\r\n\r\n");
        for (int i = 0; i < 4096; ++i) peer.send(std::string(4096, 'e'));
        peer.wait_until_client_leaves();
    });
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.response.status, 500);
    EXPECT_EQ(got.response.body.size(), base::limits::error_body_bytes);
}

TEST(Http, CapsTrailersThatNeverEnd) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n");
        for (int i = 0; i < 1000; ++i) peer.send("x-trailer: " + std::string(1000, 't') + "\r\n");
        peer.wait_until_client_leaves();
    });
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::too_large);
    EXPECT_EQ(got.response.fault_message, "header too large: " + server.place());
    EXPECT_EQ(got.body, "a");
}

TEST(Http, SaysThatAHeaderLineIsTooLong) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nx: " + std::string(200'000, 'x'));
        peer.wait_until_client_leaves();
    });
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::too_large);
    EXPECT_EQ(got.response.fault_message, "header too large: " + server.place());
}

TEST(Http, TakesAnErrorWhoseBodyIsCutOrStallsForThatError) {
    for (const bool stalls : {false, true}) {
        Server server([&](Peer& peer) {
            peer.read_request();
            peer.send("HTTP/1.1 401 No\r\ncontent-length: 50\r\n\r\nbad key");
            if (stalls) peer.wait_until_client_leaves();
        });
        Transport transport = quick();
        transport.timeouts.stall_ms = 200;
        const Got got = post(server.url(), transport);
        EXPECT_EQ(got.response.fault, TransportFault::none);
        EXPECT_EQ(got.response.fault_message, "");
        EXPECT_EQ(got.response.status, 401);
        EXPECT_EQ(got.response.body, "bad key");
    }
}

TEST(Http, PassesOverInterimAnswers) {
    Server server(
        once("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
             "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
    const Got got = post(server.url());
    EXPECT_EQ(got.response.status, 200);
    EXPECT_EQ(got.body, "ok");
    EXPECT_FALSE(got.response.headers.contains("link"));
}

TEST(Http, LowersNamesOfHeadersTrimsValuesAndJoinsRepeatedOnes) {
    Server server(
        once("HTTP/1.1 200 OK\r\nX-Request-ID:  abc \r\nVia: a\r\nvia: b\r\n"
             "content-length: 2\r\n\r\nok"));
    const Headers headers = post(server.url()).response.headers;
    EXPECT_EQ(headers,
              (Headers{{"content-length", "2"}, {"via", "a, b"}, {"x-request-id", "abc"}}));
    EXPECT_EQ(header_of(headers, "via"), "a, b");
    EXPECT_EQ(header_of(headers, "absent"), "");
}

TEST(HttpFault, HeaderTooLarge) {
    std::string answer = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 70; ++i)
        answer += "x-" + std::to_string(i) + ": " + std::string(1000, 'h') + "\r\n";
    Server server(once(answer + "content-length: 2\r\n\r\nok"));
    const Got got = post(server.url());
    EXPECT_EQ(got.response.fault, TransportFault::too_large);
    EXPECT_EQ(got.response.fault_message, "header too large: " + server.place());
    EXPECT_EQ(got.body, "");
}

TEST(HttpFault, SinkHasEnough) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (int i = 0; i < 4096; ++i) peer.send(std::string(4096, 'x'));
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    std::size_t taken = 0;
    const Response response = client.send(request, [&](std::string_view bytes) {
        taken += bytes.size();
        return taken < 10'000 ? Received::answer : Received::refused;
    });
    EXPECT_EQ(response.fault, TransportFault::too_large);
    EXPECT_EQ(response.streamed_bytes, taken);
}

TEST(Http, LetsASinkThrowAndGoesOn) {
    Server server([](Peer& peer) {
        while (!peer.read_request().empty()) peer.send_answer("ok");
    });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    EXPECT_THROW(
        client.send(request,
                    [](std::string_view) -> Received { throw std::runtime_error("sink"); }),
        std::runtime_error);
    EXPECT_EQ(send(client, request).body, "ok");
}

TEST(HttpStop, WakesFromSilenceAtOnce) {
    for (const bool hangs_up : {false, true}) {
        Server server([](Peer& peer) { peer.wait_until_client_leaves(); });
        int ends[2];
        ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
        std::chrono::steady_clock::time_point woken;
        std::thread waker([&] {
            std::this_thread::sleep_for(milliseconds(100));
            woken = std::chrono::steady_clock::now();
            if (hangs_up)
                close(ends[1]);
            else
                EXPECT_EQ(write(ends[1], "x", 1), 1);
        });
        Client client(quick());
        HttpRequest request;
        request.url = server.url();
        const Response response = client.send(
            request, [](std::string_view) { return Received::answer; }, {}, ends[0]);
        const auto after = std::chrono::steady_clock::now();
        waker.join();
        EXPECT_EQ(response.fault, TransportFault::stopped);
        EXPECT_GE(after, woken);
        EXPECT_LT(after - woken, milliseconds(50));
        close(ends[0]);
        if (!hangs_up) close(ends[1]);
    }
}

TEST(HttpStop, WakesFromAStreamThatNeverPauses) {
    std::atomic<bool> over = false;
    Server server([&](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        while (!over) peer.send(std::string(4096, 'x'));
    });
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    int pieces = 0;
    const Response response = client.send(
        request,
        [&](std::string_view) {
            if (++pieces == 3) {
                EXPECT_EQ(write(ends[1], "x", 1), 1);
            }
            EXPECT_LT(pieces, 1000);
            return pieces < 1000 ? Received::answer : Received::refused;
        },
        {}, ends[0]);
    over = true;
    EXPECT_EQ(response.fault, TransportFault::stopped);
    close(ends[0]);
    close(ends[1]);
}

TEST(HttpStop, ConnectsNowhereWhereItIsStoppedAlready) {
    Server server([](Peer&) {});
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    const Response response = client.send(
        request, [](std::string_view) { return Received::answer; }, [] { return true; });
    EXPECT_EQ(response.fault, TransportFault::stopped);
    EXPECT_EQ(server.connections(), 0);
}

TEST(HttpStop, AsksAboutEveryTenthOfASecond) {
    Server server([](Peer& peer) { peer.wait_until_client_leaves(); });
    Client client(quick());
    HttpRequest request;
    request.url = server.url();
    int asked = 0;
    Response response;
    const auto ms = elapsed_ms([&] {
        response = client.send(
            request, [](std::string_view) { return Received::answer; },
            [&] { return ++asked == 4; });
    });
    EXPECT_EQ(response.fault, TransportFault::stopped);
    EXPECT_GE(ms, 290);
    EXPECT_LT(ms, 1500);
}

TEST(HttpUrl, RefusesPlainHttpToOtherMachinesWithoutConnecting) {
    for (const char* url :
         {"http://10.1.2.3/", "http://example.com/", "http://localhost.example.com/",
          "http://127.0.0.1.example.com/", "http://127.0.0.1@10.1.2.3/", "http://0.0.0.0:1/",
          "http://[::ffff:10.1.2.3]/", "http://128.0.0.1/"}) {
        Got got;
        EXPECT_LT(elapsed_ms([&] { got = post(url); }), 100) << url;
        EXPECT_EQ(got.response.fault, TransportFault::other) << url;
        EXPECT_TRUE(
            got.response.fault_message.starts_with("plain http is for loopback addresses only: "))
            << got.response.fault_message;
    }
}

TEST(HttpUrl, RefusesWhatIsNoWebAddress) {
    for (const char* url : {"", "example.com", "ftp://127.0.0.1/", "file:///etc/passwd", "https://",
                            "https://a b/", "https://x:99999/"}) {
        const Got got = post(url);
        EXPECT_EQ(got.response.fault, TransportFault::other) << url;
        EXPECT_NE(got.response.fault_message, "") << url;
    }
}

TEST(HttpUrl, KnowsLoopbackInItsForms) {
    Server server([](Peer& peer) {
        peer.read_request();
        peer.send_answer("ok");
    });
    for (const char* host : {"127.0.0.1", "localhost", "LOCALHOST", "2130706433", "0x7f.1"})
        EXPECT_EQ(
            post("http://" + std::string(host) + ":" + std::to_string(server.port()) + "/").body,
            "ok")
            << host;
}

TEST(HttpUrl, AllowsPlainHttpToAConfiguredNameAndSaysWhatFailed) {
    Client client(quick());
    HttpRequest request;
    request.url = "http://x.invalid:8080/v1";
    request.plain_http = true;
    EXPECT_EQ(send(client, request).response.fault_message, "host not found: x.invalid:8080");
}

TEST(HttpHeader, RefusesALineBreakWithoutShowingTheValue) {
    Client client(quick());
    HttpRequest request;
    request.url = "https://x.invalid/";
    request.headers = {"x-api-key: sk-secret\r\nhost: evil"};
    try {
        send(client, request);
        FAIL() << "sent";
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
        EXPECT_EQ(error.message(), "line break in the header x-api-key");
    }
}

TEST(HttpProxy, IsNotReadFromTheEnvironment) {
    Server proxy([](Peer& peer) {
        peer.read_request();
        peer.send_answer("by proxy");
    });
    const std::string url = "http://" + proxy.place();
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"})
        setenv(name, url.c_str(), 1);
    Transport transport = quick();
    transport.plain_http = true;
    EXPECT_EQ(post("http://x.invalid/", transport).response.fault, TransportFault::dns);
    EXPECT_EQ(post("https://x.invalid/", transport).response.fault, TransportFault::dns);
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(name);
    EXPECT_EQ(proxy.connections(), 0);
}

TEST(HttpProxy, NeverSeesWhatGoesToLoopback) {
    Server server(once("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
    Transport transport = quick();
    transport.http_proxy = "http://127.0.0.1:9";
    EXPECT_EQ(post(server.url(), transport).body, "ok");
}

TEST(HttpProxy, IsUsedByScheme) {
    std::string seen;
    Server proxy([&](Peer& peer) {
        seen = peer.read_request();
        peer.send_answer("by proxy");
    });
    Transport transport = quick();
    transport.http_proxy = "http://" + proxy.place();
    transport.plain_http = true;
    EXPECT_EQ(post("http://x.invalid/v1", transport).body, "by proxy");
    EXPECT_TRUE(seen.starts_with("POST http://x.invalid/v1 HTTP/1.1\r\n")) << seen;
    transport.no_proxy = "other,x.invalid";
    EXPECT_EQ(post("http://x.invalid/v1", transport).response.fault, TransportFault::dns);
}

TEST(HttpProxy, RefusalIsAFailedConnection) {
    Server proxy([](Peer& peer) {
        peer.read_request();
        peer.send_answer("no", "", "403 Forbidden");
    });
    Transport transport = quick();
    transport.https_proxy = "http://user:secret@" + proxy.place();
    const Got got = post("https://x.invalid/v1", transport);
    EXPECT_EQ(got.response.fault, TransportFault::connect);
    EXPECT_EQ(got.response.fault_message, "the proxy answered 403: x.invalid:443");
    EXPECT_TRUE(got.response.fault_lasts);
}

TEST(HttpProxy, SaysThatItWantsAPassword) {
    Server proxy([](Peer& peer) {
        peer.read_request();
        peer.send_answer("no", "", "407 Proxy Authentication Required");
    });
    Transport transport = quick();
    transport.https_proxy = "http://" + proxy.place();
    const Got got = post("https://x.invalid/v1", transport);
    EXPECT_EQ(got.response.fault, TransportFault::connect);
    EXPECT_EQ(got.response.fault_message,
              "the proxy asks for a user name and a password (407): x.invalid:443");
    EXPECT_TRUE(got.response.fault_lasts);
}

TEST(HttpProxy, MessagesDoNotShowItsPassword) {
    Transport transport = quick();
    transport.https_proxy = "http://user:secret@127.0.0.1:9";
    const Got got = post("https://x.invalid/v1", transport);
    EXPECT_EQ(got.response.fault_message,
              "connection refused: x.invalid:443 (a proxy is configured)");
}

}  // namespace
}  // namespace chorus::net
