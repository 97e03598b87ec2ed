#include "model/complaint.hpp"

#include <gtest/gtest.h>

namespace chorus::model {
namespace {

TEST(Complaint, ReadsEveryShape) {
    const Complaint anthropic = read_complaint(
        R"({"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"ramp_limit_exceeded"}},"request_id":"req_1"})");
    EXPECT_EQ(anthropic.type, "rate_limit_error");
    EXPECT_EQ(anthropic.code, "ramp_limit_exceeded");
    EXPECT_EQ(anthropic.message, "m");
    EXPECT_EQ(anthropic.request_id, "req_1");

    const Complaint numbered = read_complaint(R"({"error":{"message":"m","type":"t","code":401}})");
    EXPECT_EQ(numbered.status, 401);
    EXPECT_EQ(numbered.code, "");

    EXPECT_EQ(read_complaint(R"({"error":"words"})").message, "words");
    EXPECT_EQ(read_complaint(R"({"detail":"Not Found"})").message, "Not Found");
    EXPECT_EQ(read_complaint(R"({"object":"error","message":{"detail":[1]},"type":"t"})").message,
              R"({"detail":[1]})");
    EXPECT_EQ(
        read_complaint(R"({"response":{"error":{"code":"server_error","message":"m"}}})").code,
        "server_error");
    EXPECT_EQ(
        read_complaint(
            R"({"error":{"message":"Provider returned error","metadata":{"raw":"bad thing","provider_name":"Acme"}}})")
            .message,
        "Provider returned error: Acme: bad thing");
    EXPECT_EQ(read_complaint("  upstream died \n").message, "upstream died");
    EXPECT_EQ(read_complaint("<!doctype html>").message, "a web page");
    EXPECT_EQ(read_complaint("").message, "");
    EXPECT_EQ(read_complaint("[]").message, "");
}

TEST(Complaint, ReadsRetryDelays) {
    const auto delay = [](const std::string& text) {
        return read_complaint(R"({"error":{"details":[{"@type":"x"},{"retryDelay":")" + text +
                              "\"}]}}")
            .retry_after_ms;
    };
    EXPECT_EQ(delay("34s"), 34'000);
    EXPECT_EQ(delay("1.5s"), 1'500);
    EXPECT_FALSE(delay("34"));
    EXPECT_FALSE(delay("-1s"));
    EXPECT_FALSE(delay("1e300s"));
}

TEST(Complaint, HeadersAdd) {
    net::Response response;
    response.status = 429;
    response.headers = {{"x-request-id", "req\x1b_9"}, {"x-should-retry", "false"}};
    response.retry_after_ms = 7'000;
    const Failure failure = http_failure("p", response, "");
    EXPECT_EQ(failure.request_id, "req\\x1b_9");
    EXPECT_FALSE(failure.retryable);
    EXPECT_EQ(failure.retry_after_ms, 7'000);
}

// S-41
TEST(Complaint, TransportFaultsAreTheNetworks) {
    using net::TransportFault;
    for (const TransportFault fault :
         {TransportFault::dns, TransportFault::connect, TransportFault::tls,
          TransportFault::timeout, TransportFault::stalled, TransportFault::cut,
          TransportFault::empty}) {
        net::Response response;
        response.fault = fault;
        response.fault_message = "why";
        const Failure failure = transport_failure("p", response);
        EXPECT_EQ(failure.category, Category::no_internet);
        EXPECT_TRUE(failure.retryable);
        EXPECT_EQ(failure.message.substr(failure.message.size() - 5), ": why");
        response.fault_lasts = true;
        EXPECT_FALSE(transport_failure("p", response).retryable);
    }
    net::Response doubled;
    doubled.fault = TransportFault::tls;
    doubled.fault_message = "no TLS connection: 127.0.0.1:9: why";
    EXPECT_EQ(transport_failure("p", doubled).message, "p: no TLS connection: 127.0.0.1:9: why");
    for (const TransportFault fault :
         {TransportFault::stopped, TransportFault::too_large, TransportFault::other}) {
        net::Response response;
        response.fault = fault;
        EXPECT_EQ(transport_failure("p", response).category, Category::other);
        EXPECT_FALSE(transport_failure("p", response).retryable);
    }
}

}  // namespace
}  // namespace chorus::model
