// Real sockets on 127.0.0.1: one connection, one request, one scripted answer.
#include "model/exchange.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "requests.hpp"
#include "streams.hpp"
#include "sys/clock.hpp"

namespace chorus::model {
namespace {

class Server {
  public:
    // Lingers until the client has gone; `murmur` is sent again and again meanwhile.
    explicit Server(std::string reply, int linger_ms = 0, std::string murmur = "")
        : reply_(std::move(reply)), linger_ms_(linger_ms), murmur_(std::move(murmur)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            listen(listener_, 1) != 0 ||
            getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            throw std::runtime_error("no socket");
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~Server() {
        join();
        close(listener_);
    }
    std::string base_url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    const std::string& request() {
        join();
        return request_;
    }

  private:
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    bool is_whole() const {
        const std::size_t end = request_.find("\r\n\r\n");
        const std::size_t length = request_.find("Content-Length: ");
        return end != std::string::npos && length != std::string::npos &&
               request_.size() >= end + 4 + std::stoul(request_.substr(length + 16));
    }
    void serve() {
        const int peer = accept(listener_, nullptr, nullptr);
        std::string buffer(65536, '\0');
        while (!is_whole()) {
            const ssize_t count = read(peer, buffer.data(), buffer.size());
            if (count <= 0) break;
            request_.append(buffer, 0, static_cast<std::size_t>(count));
        }
        const ssize_t sent = send(peer, reply_.data(), reply_.size(), MSG_NOSIGNAL);
        if (sent >= 0 && linger_ms_ > 0) wait_for_hangup(peer);
        close(peer);
    }

    void wait_for_hangup(int peer) const {
        constexpr int murmur_every_ms = 100;
        pollfd hangup{.fd = peer, .events = POLLIN, .revents = 0};
        if (murmur_.empty()) {
            poll(&hangup, 1, linger_ms_);
            return;
        }
        for (int ms = 0; ms < linger_ms_; ms += murmur_every_ms) {
            if (poll(&hangup, 1, murmur_every_ms) > 0) return;
            if (send(peer, murmur_.data(), murmur_.size(), MSG_NOSIGNAL) < 0) return;
        }
    }

    std::string reply_;
    int linger_ms_;
    std::string murmur_;
    int listener_ = -1;
    int port_ = 0;
    std::string request_;
    std::thread thread_;
};

const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const std::string hello =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n"
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

Answer ask(Server& server, const std::string& provider, const StreamSink& sink = {},
           const Interruption& interruption = {}) {
    net::Client client{net::Transport{}};
    Endpoint endpoint;
    endpoint.provider = Catalog().require_provider(provider);
    endpoint.base_url = server.base_url() + (provider == "anthropic" ? "" : "/v1/");
    endpoint.key = [] { return std::string(" sk-secret-key\n"); };
    return make_model(endpoint, client)->ask(request_of({user("hi")}), sink, interruption);
}

TEST(Exchange, AnAnswerComesBack) {
    Server server(stream_head + hello + "data: [DONE]\n\n");
    Heard heard;
    const Answer reply = ask(server, "openai-chat", heard.sink);
    ASSERT_FALSE(reply.failure) << reply.failure->message;
    EXPECT_EQ(heard.text, "hello");
    EXPECT_EQ(server.request().substr(0, 30), "POST /v1/chat/completions HTTP");
    EXPECT_NE(server.request().find("Authorization: Bearer sk-secret-key\r\n"), std::string::npos);
    const std::string body = server.request().substr(server.request().find("\r\n\r\n") + 4);
    Endpoint endpoint;
    endpoint.provider = Catalog().require_provider("openai-chat");
    endpoint.base_url = server.base_url() + "/v1/";
    EXPECT_EQ(body, request_body(endpoint, request_of({user("hi")})));
}

TEST(Exchange, AProviderMaySayWhereItsKeyGoesAndWhatElseIsSent) {
    Server server(stream_head + hello + "data: [DONE]\n\n");
    net::Client client{net::Transport{}};
    Endpoint endpoint;
    endpoint.provider = Catalog().require_provider("openai-chat");
    endpoint.provider.key_header = "api-key";
    endpoint.provider.headers = {{"X-Team", "night shift"}};
    endpoint.provider.query = {{"api-version", "2026-01-01"}, {"b", "2"}};
    endpoint.base_url = server.base_url() + "/v1?a=1";
    endpoint.key = [] { return std::string("sk-secret-key"); };
    ASSERT_FALSE(make_model(endpoint, client)->ask(request_of({user("hi")}), {}, {}).failure);
    const std::string request = server.request();
    EXPECT_TRUE(
        request.starts_with("POST /v1/chat/completions?a=1&api-version=2026-01-01&b=2 HTTP"))
        << request;
    EXPECT_NE(request.find("\r\napi-key: sk-secret-key\r\n"), std::string::npos);
    EXPECT_NE(request.find("\r\nX-Team: night shift\r\n"), std::string::npos);
    EXPECT_EQ(request.find("Authorization"), std::string::npos);
}

TEST(Exchange, AnthropicHasItsHeaders) {
    Server server(stream_head + "data: {\"type\":\"message_stop\"}\n\n");
    EXPECT_FALSE(ask(server, "anthropic").failure);
    EXPECT_EQ(server.request().substr(0, 22), "POST /v1/messages HTTP");
    EXPECT_NE(server.request().find("x-api-key: sk-secret-key\r\n"), std::string::npos);
    EXPECT_NE(server.request().find("anthropic-version: 2026-10-21\r\n"), std::string::npos);
}

TEST(Exchange, AnErrorIsReadWithItsHeaders) {
    Server server(
        "HTTP/1.1 429 Too Many\r\nretry-after: 7\r\nx-request-id: req_7\r\nContent-Length: "
        "67\r\n\r\n"
        R"({"error":{"message":"slow down, sk-secret-key","type":"tokens"}}   )");
    const Answer reply = ask(server, "openai");
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->category, Category::rate_limited);
    EXPECT_EQ(reply.failure->message, "openai: 429 tokens: slow down, [key]");
    EXPECT_EQ(reply.failure->request_id, "req_7");
    EXPECT_EQ(reply.failure->retry_after_ms, 7'000);
    EXPECT_EQ(reply.failure->status, 429);
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
        out += escape;
    }
    return out;
}

// S-38: however the server writes it, and wherever a long message is cut
TEST(Exchange, TheKeyIsInNoMessage) {
    for (std::size_t before = 440; before < 500; ++before) {
        const std::string error = R"({"error":{"message":")" + std::string(before, 'x') + " " +
                                  escaped("sk-secret-key") + R"("}})";
        Server body("HTTP/1.1 500 Oh\r\nrequest-id: sk-secret-key\r\nContent-Length: " +
                    std::to_string(error.size()) + "\r\n\r\n" + error);
        const Answer refused = ask(body, "openai");
        ASSERT_TRUE(refused.failure);
        EXPECT_EQ(refused.failure->message.find("sk-"), std::string::npos);
        EXPECT_EQ(refused.failure->request_id, "[key]");
        Server event(stream_head + "data: " + error + "\n\n");
        const Answer broken = ask(event, "openai-chat");
        ASSERT_TRUE(broken.failure);
        EXPECT_EQ(broken.failure->message.find("sk-"), std::string::npos);
    }
}

TEST(Exchange, AStreamThatEndsEarlyIsCut) {
    Server server(stream_head +
                  "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\ndata: {\"cho");
    const Answer reply = ask(server, "openai-chat");
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->category, Category::no_internet);
    EXPECT_EQ(reply.failure->message, "openai-chat: the stream was cut");
    EXPECT_EQ(reply.reply.text, "hel");
    EXPECT_FALSE(reply.text_was_streamed) << "nobody listened";
}

TEST(Exchange, AStreamThatEndsInItsFirstFieldIsCut) {
    const std::string event = "event: message_start";
    for (std::size_t size = 1; size <= event.size(); ++size) {
        Server server(stream_head + event.substr(0, size));
        const Answer reply = ask(server, "anthropic");
        ASSERT_TRUE(reply.failure) << size;
        EXPECT_EQ(reply.failure->message, "anthropic: the stream was cut") << size;
    }
}

TEST(Exchange, AnErrorInsteadOfAStreamIsRead) {
    Server server(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
        R"({"error":{"message":"no credits","code":402}})");
    const Answer reply = ask(server, "openai-chat");
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->category, Category::out_of_credits);
}

struct Whole {
    const char* provider;
    std::string body;
};
const std::vector<Whole> whole_answers{
    {"openai-chat",
     R"( {"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",
      "content":"hello","tool_calls":[{"id":"a","type":"function","function":{"name":"f",
      "arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}],
      "usage":{"prompt_tokens":"7","completion_tokens":3}})"},
    {"openai",
     R"({"id":"r","object":"response","status":"completed","error":null,"output":[
      {"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"hello"}]},
      {"type":"function_call","id":"i","call_id":"a","name":"f","arguments":"{\"x\":1}"}],
      "usage":{"input_tokens":7,"output_tokens":"3"}})"},
    {"anthropic",
     R"({"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"hello"},
      {"type":"tool_use","id":"a","name":"f","input":{"x":1}}],"stop_reason":"tool_use",
      "usage":{"input_tokens":"7","output_tokens":3}})"}};

TEST(Exchange, AnAnswerThatIsNoStreamHasBeenPaidForAndIsTaken) {
    for (const auto& [provider, body] : whole_answers) {
        Server server(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: "
            "close\r\n\r\n" +
            body);
        Heard heard;
        const Answer answer = ask(server, provider, heard.sink);
        ASSERT_FALSE(answer.failure) << provider << answer.failure->message;
        EXPECT_EQ(answer.reply.text, "hello") << provider;
        EXPECT_EQ(heard.text, "hello") << provider;
        ASSERT_EQ(answer.reply.tool_calls.size(), 1U) << provider;
        EXPECT_EQ(answer.reply.tool_calls.front(), (chat::ToolCall{"a", "f", R"({"x":1})"}));
        EXPECT_EQ(answer.reply.stop, chat::StopReason::tool_use);
        EXPECT_EQ(answer.reply.usage, (chat::Usage{7, 3, 0, 0})) << provider;
    }
}

// By its length, by the connection, or by nothing: a closing brace ends it.
TEST(Exchange, AWholeBodyIsNotWaitedFor) {
    for (const auto& [provider, body] : whole_answers)
        for (const std::string head : {"", "Content-Length: 99999\r\n"})
            for (const std::string behind : {"", "<!-- x -->"}) {
                Server server("HTTP/1.1 200 OK\r\n" + head + "\r\n\xEF\xBB\xBF" + body + behind,
                              4'000);
                const std::int64_t start = sys::monotonic_ms();
                const Answer answer = ask(server, provider);
                EXPECT_FALSE(answer.failure) << provider << answer.failure->message;
                EXPECT_EQ(answer.reply.text, "hello");
                EXPECT_LT(sys::monotonic_ms() - start, 1'000) << provider;
            }
}

TEST(Exchange, EventsOfAnotherProtocolAreToldAndNotAskedForAgain) {
    const std::string anthropic =
        "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: "
        "{\"type\":\"message_stop\"}\n\n";
    for (const auto& [provider, events] :
         std::vector<Whole>{{"anthropic", hello + "data: [DONE]\n\n"},
                            {"openai", hello + "data: [DONE]\n\n"},
                            {"openai-chat", anthropic},
                            {"openai", anthropic}}) {
        Server server(stream_head + events);
        const Answer answer = ask(server, provider);
        ASSERT_TRUE(answer.failure) << provider;
        EXPECT_FALSE(answer.failure->retryable) << provider;
        EXPECT_NE(answer.failure->message.find("events of another protocol: check the base URL"),
                  std::string::npos)
            << answer.failure->message;
    }
}

TEST(Exchange, AnErrorInAWholeBodyIsToldInItsWords) {
    for (const auto& [provider, ignored] : whole_answers)
        for (const char* body :
             {R"({"object":"error","message":"no such thing","code":400})",
              R"({"message":"no such thing"})", R"({"detail":"no such thing"})"}) {
            Server server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(body));
            const Answer answer = ask(server, provider);
            ASSERT_TRUE(answer.failure);
            EXPECT_NE(answer.failure->message.find("no such thing"), std::string::npos)
                << provider << answer.failure->message;
            EXPECT_FALSE(answer.failure->retryable);
        }
}

TEST(Exchange, NothingThatMayHaveBeenPaidForIsAskedForAgain) {
    for (const char* body : {R"({"surprise":1})", R"([1])", "{\"cut", "well, yes"})
        for (const auto& [provider, ignored] : whole_answers) {
            Server server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(body));
            const Answer answer = ask(server, provider);
            ASSERT_TRUE(answer.failure) << provider << body;
            EXPECT_FALSE(answer.failure->retryable) << provider << body;
            EXPECT_EQ(answer.failure->status, 200);
            EXPECT_EQ(answer.failure->message.find("cut"), std::string::npos)
                << answer.failure->message;
        }
}

TEST(Exchange, AWebPageIsToldAsOne) {
    const std::string page = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>";
    for (const auto& [provider, ignored] : whole_answers)
        for (const char* status : {"200 OK", "404 Not Found", "502 Bad Gateway"}) {
            Server server("HTTP/1.1 " + std::string(status) +
                          "\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + page);
            const Answer answer = ask(server, provider);
            ASSERT_TRUE(answer.failure) << status;
            const bool is_of_gateway = status[0] == '5';
            EXPECT_NE(answer.failure->message.find("a web page: Sign in"), std::string::npos)
                << answer.failure->message;
            EXPECT_EQ(answer.failure->message.find("check the base URL") == std::string::npos,
                      is_of_gateway)
                << answer.failure->message;
            EXPECT_EQ(answer.failure->retryable, is_of_gateway) << status;
        }
}

TEST(Exchange, ARedirectAndAProxyAreToldAsWhatTheyAre) {
    for (const auto& [provider, ignored] : whole_answers) {
        Server elsewhere(
            "HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\n"
            "Content-Length: 0\r\n\r\n");
        const Answer moved = ask(elsewhere, provider);
        ASSERT_TRUE(moved.failure);
        EXPECT_NE(moved.failure->message.find("302: a redirect, which is not followed"),
                  std::string::npos);
        EXPECT_FALSE(moved.failure->retryable);
        Server proxy("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        const Answer asked = ask(proxy, provider);
        ASSERT_TRUE(asked.failure);
        EXPECT_NE(asked.failure->message.find("the proxy asks for a user name"), std::string::npos);
        EXPECT_EQ(asked.failure->category, Category::no_internet);
        EXPECT_FALSE(asked.failure->retryable);
    }
}

TEST(Exchange, AnErrorEventIsAnErrorWhateverItHolds) {
    for (const auto& [provider, ignored] : whole_answers)
        for (const char* data :
             {R"({"type":"error","error":{"type":"overloaded_error","message":"too much"}})",
              R"({"error":{"type":"overloaded_error","message":"too much"}})",
              R"({"error":"too much, overloaded"})", "too much: overloaded"}) {
            Server server(stream_head + "event: error\ndata: " + data + "\n\n");
            const Answer answer = ask(server, provider);
            ASSERT_TRUE(answer.failure) << provider << data;
            EXPECT_EQ(answer.failure->category, Category::server_error) << provider << data;
            EXPECT_NE(answer.failure->message.find("too much"), std::string::npos)
                << answer.failure->message;
        }
    // without the event's name
    for (const auto& [provider, ignored] : whole_answers) {
        Server server(stream_head + R"(data: {"error":{"message":"too much: overloaded"}})" +
                      "\n\n");
        const Answer answer = ask(server, provider);
        ASSERT_TRUE(answer.failure) << provider;
        EXPECT_NE(answer.failure->message.find("too much"), std::string::npos)
            << answer.failure->message;
    }
}

TEST(Exchange, TheEndMarkerEndsTheAnswer) {
    const std::vector<Whole> streams{
        {"openai-chat", hello + "data: [DONE]\n\n"},
        {"openai-chat", hello + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,"
                                "\"completion_tokens\":3}}\n\n"},
        {"openai",
         "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
         "\"output\":[]}}\n\n"},
        {"openai-chat",
         "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\ndata: [DONE]\n\n"},
        {"anthropic", "data: {\"type\":\"message_stop\"}\n\n"}};
    for (const auto& [provider, events] : streams) {
        Server server(stream_head + events, 4'000);
        const std::int64_t start = sys::monotonic_ms();
        EXPECT_FALSE(ask(server, provider).failure) << provider;
        EXPECT_LT(sys::monotonic_ms() - start, 500) << provider;
    }
}

TEST(Exchange, NobodyListening) {
    net::Client client{net::Transport{}};
    Endpoint endpoint;
    endpoint.provider = Catalog().require_provider("ollama");
    endpoint.base_url = "http://127.0.0.1:1/v1";
    const Answer reply = make_model(endpoint, client)->ask(request_of({user("hi")}), {}, {});
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->category, Category::no_internet);
    EXPECT_TRUE(reply.failure->retryable);
}

// Of the protocols with a stop reason before their end marker.
const std::vector<Whole> without_marker{
    {"openai-chat", hello},
    {"anthropic",
     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
     "\"text\":\"hello\"}}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"}};

TEST(Exchange, AServerThatDoesNotHangUpIsLeft) {
    for (const auto& [provider, events] : without_marker) {
        Server server(stream_head + events, 4'000);
        const std::int64_t start = sys::monotonic_ms();
        const Answer answer = ask(server, provider);
        EXPECT_FALSE(answer.failure) << provider;
        EXPECT_EQ(answer.reply.text, "hello");
        EXPECT_LT(sys::monotonic_ms() - start, 3'000) << provider;
    }
}

TEST(Exchange, AServerThatTalksOnAfterItsEndIsLeft) {
    for (const auto& [provider, events] : without_marker) {
        Server server(stream_head + events, 20'000, ": and so on\n\n");
        const std::int64_t start = sys::monotonic_ms();
        EXPECT_FALSE(ask(server, provider).failure) << provider;
        EXPECT_LT(sys::monotonic_ms() - start, 10'000) << provider;
    }
}

TEST(Exchange, AnErrorBehindTheStopReasonSpoilsNothing) {
    for (const auto& [provider, events] : without_marker) {
        Server server(stream_head + events +
                      "event: error\ndata: {\"error\":{\"message\":\"x\"}}\n\n");
        EXPECT_FALSE(ask(server, provider).failure) << provider;
    }
}

// Shown is what has something to see.
TEST(Exchange, ABlankAnswerWasNotShown) {
    const std::vector<Whole> blanks{
        {"openai-chat",
         "data: {\"choices\":[{\"delta\":{\"content\":\" \\n\"}}]}\n\ndata: [DONE]\n\n"},
        {"openai",
         "data: {\"type\":\"response.output_text.delta\",\"delta\":\" \\n\"}\n\n"
         "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"},
        {"anthropic",
         "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\" "
         "\\n\"}}"
         "\n\ndata: {\"type\":\"message_stop\"}\n\n"}};
    for (const auto& [provider, events] : blanks) {
        Server server(stream_head + events);
        Heard heard;
        const Answer answer = ask(server, provider, heard.sink);
        EXPECT_FALSE(answer.text_was_streamed) << provider;
        EXPECT_EQ(heard.text, "") << provider;
        EXPECT_EQ(answer.reply.text, " \n") << provider;
    }
}

TEST(Exchange, StoppingKeepsTheText) {
    Server server(stream_head + "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n",
                  2'000);
    Heard heard;
    const Answer reply =
        ask(server, "openai-chat", heard.sink, {.stop = [&] { return !heard.text.empty(); }});
    ASSERT_TRUE(reply.failure);
    EXPECT_FALSE(reply.failure->retryable);
    EXPECT_EQ(reply.reply.text, "hel");
}

TEST(Exchange, WhatTheSinkThrowsComesThrough) {
    Server server(stream_head + hello);
    StreamSink sink;
    sink.on_text = [](std::string_view) { throw std::runtime_error("stdout is gone"); };
    EXPECT_THROW(ask(server, "openai-chat", sink), std::runtime_error);
}

}  // namespace
}  // namespace chorus::model
