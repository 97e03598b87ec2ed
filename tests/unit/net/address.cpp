#include "net/address.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "net/http.hpp"
#include "server.hpp"

namespace chorus::net {
namespace {

bool is_public(const char* text) {
    in_addr four{};
    if (inet_pton(AF_INET, text, &four) == 1) return net::is_public(four);
    in6_addr six{};
    EXPECT_EQ(inet_pton(AF_INET6, text, &six), 1) << text;
    return net::is_public(six);
}

TEST(Address, is_public_or_of_this_host_and_its_networks) {
    for (const char* text :
         {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.1.1.1",
          "128.0.0.1", "169.253.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "192.169.0.1",
          "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8",
          "64:ff9b::808:808", "2002:808:808::1"})
        EXPECT_TRUE(is_public(text)) << text;
    for (const char* text : {"0.0.0.0",
                             "0.1.2.3",
                             "10.0.0.1",
                             "100.64.0.1",
                             "100.127.255.255",
                             "127.0.0.1",
                             "127.255.255.255",
                             "169.254.169.254",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.0.0.1",
                             "192.168.0.1",
                             "198.18.0.1",
                             "198.19.255.255",
                             "224.0.0.1",
                             "255.255.255.255",
                             "::",
                             "::1",
                             "::ffff:127.0.0.1",
                             "::ffff:169.254.169.254",
                             "::10.0.0.1",
                             "fe80::1",
                             "fc00::1",
                             "fd12::1",
                             "ff02::1",
                             "64:ff9b::a00:1",
                             "64:ff9b::7f00:1",
                             "2002:7f00:1::1",
                             "2002:a00:1::1"})
        EXPECT_FALSE(is_public(text)) << text;
    sockaddr local{};
    local.sa_family = AF_UNIX;
    EXPECT_FALSE(net::is_public(local));
}

Response send(const std::string& url, bool public_only, Transport transport = {}) {
    transport.timeouts = {5000, 5000, 5000};
    Client client(std::move(transport));
    HttpRequest request;
    request.url = url;
    request.public_only = public_only;
    return client.send(request, [](std::string_view) { return Received::answer; });
}

TEST(Http, public_only_connects_to_no_address_of_this_host) {
    int requests = 0;
    Server server([&](Peer& peer) {
        if (!peer.read_request().empty()) ++requests;
        peer.send_answer("fine");
    });
    const std::string port = server.url("").substr(server.url("").rfind(':'));
    for (const std::string& url :
         {"http://127.0.0.1" + port, "http://localhost" + port, "http://127.1" + port,
          "http://2130706433" + port, "http://0x7f.0.0.1" + port, "http://[::1]" + port,
          "http://[::ffff:127.0.0.1]" + port}) {
        const Response response = send(url, true);
        EXPECT_NE(response.fault, TransportFault::none) << url;
        EXPECT_EQ(response.status, 0) << url;
    }
    EXPECT_EQ(requests, 0);
    EXPECT_EQ(send(server.url(""), true).fault_message, "a private address: 127.0.0.1" + port);
    EXPECT_EQ(send(server.url(""), false).status, 200);
    EXPECT_EQ(requests, 1);
}

// libcurl takes every name below localhost for this host; a name is seen through only where the
// connection is made.
TEST(Http, public_only_follows_no_name_to_an_address_of_this_host) {
    Server server([](Peer& peer) { peer.wait_until_client_leaves(); });
    const std::string place = "hooks.localhost:" + std::to_string(server.port());
    const Response response = send("https://" + place + "/x", true);
    EXPECT_EQ(response.fault, TransportFault::connect);
    EXPECT_EQ(response.fault_message, "a private address: " + place);
    EXPECT_EQ(server.connections(), 0);
}

TEST(Http, public_only_leaves_what_a_proxy_reaches_to_the_proxy) {
    std::string seen;
    Server proxy([&](Peer& peer) {
        seen = peer.read_request();
        peer.send_answer("no", "", "403 Forbidden");
    });
    Transport transport;
    transport.https_proxy = proxy.url("");
    transport.no_proxy = "*";
    const Response response = send("https://hooks.example/x", true, transport);
    EXPECT_TRUE(seen.starts_with("CONNECT hooks.example:443 ")) << seen;
    EXPECT_EQ(response.fault, TransportFault::connect);
    seen.clear();
    EXPECT_EQ(send("https://10.0.0.1/x", true, transport).fault_message,
              "a private address: 10.0.0.1:443");
    EXPECT_EQ(seen, "");
}

}  // namespace
}  // namespace chorus::net
