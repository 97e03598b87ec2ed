// Each bound at one less, at itself and at one more.
#include "base/limits.hpp"

#include <gtest/gtest.h>

#include "net/http.hpp"
#include "server.hpp"

namespace chorus::net {
namespace {

namespace limits = base::limits;

Response asked(const Server& server) {
    Client client{Transport{}};
    HttpRequest request;
    request.url = server.url();
    request.body = "{}";
    return client.send(request, [](std::string_view) { return Received::answer; });
}

TEST(Limits, HeaderOfAnAnswer) {
    for (const int more : {-1, 0, 1}) {
        const std::string status = "HTTP/1.1 200 OK\r\n";
        const std::string end = "content-length: 0\r\n\r\n";
        std::string lines;
        // libcurl bounds a single line, too
        while (status.size() + lines.size() + end.size() + 2000 < limits::http_head_bytes)
            lines += "x: " + std::string(995, 'h') + "\r\n";
        const std::size_t left = limits::http_head_bytes - status.size() - lines.size() -
                                 end.size() + static_cast<std::size_t>(more + 1) - 1;
        lines += "y: " + std::string(left - 5, 'h') + "\r\n";
        Server server([&](Peer& peer) {
            peer.read_request();
            peer.send(status + lines + end);
        });
        const Response response = asked(server);
        EXPECT_EQ(response.fault, more > 0 ? TransportFault::too_large : TransportFault::none)
            << more << response.fault_message;
    }
}

TEST(Limits, BodyOfAnError) {
    for (const int more : {-1, 0, 1}) {
        const std::size_t size = limits::error_body_bytes + static_cast<std::size_t>(more + 1) - 1;
        Server server([&](Peer& peer) {
            peer.read_request();
            peer.send_answer(std::string(size, 'e'), "", "500 Oh");
            peer.wait_until_client_leaves();
        });
        const Response response = asked(server);
        EXPECT_EQ(response.status, 500);
        EXPECT_EQ(response.body.size(), std::min(size, limits::error_body_bytes));
    }
}

// What a client has that nobody told otherwise.
TEST(Limits, Times) {
    const Transport transport;
    EXPECT_EQ(transport.timeouts.connect_ms, limits::connect_ms);
    EXPECT_EQ(transport.timeouts.first_byte_ms, limits::first_byte_ms);
    EXPECT_EQ(transport.timeouts.stall_ms, limits::stall_ms);
}

}  // namespace
}  // namespace chorus::net
