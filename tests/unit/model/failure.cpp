#include "model/failure.hpp"

#include <gtest/gtest.h>

#include "model/complaint.hpp"

namespace chorus::model {
namespace {

struct Case {
    int status;
    std::string body;
    Category category;
    bool retryable;
};

Failure failure_of(const Case& c) {
    net::Response response;
    response.status = c.status;
    response.body = c.body;
    return http_failure("p", response, "sk-secret-key");
}

void expect_all(const std::vector<Case>& table) {
    for (const Case& c : table) {
        const Failure failure = failure_of(c);
        EXPECT_EQ(name(failure.category), name(c.category)) << c.status << " " << c.body;
        EXPECT_EQ(failure.retryable, c.retryable) << c.status << " " << c.body;
        EXPECT_EQ(failure.status, c.status);
    }
}

// S-38
TEST(Failure, Unauthorized) {
    const Category category = Category::unauthorized;
    expect_all({
        {401,
         R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
         category, false},
        {403, R"({"type":"error","error":{"type":"permission_error","message":"no"}})", category,
         false},
        {401,
         R"({"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}})",
         category, false},
        {401, R"({"error":{"message":"bad","type":"authentication_error","code":401}})", category,
         false},
        {401, "", category, false},
        {403, "<html>blocked</html>", category, false},
        {400, R"({"error":{"status":"PERMISSION_DENIED","message":"x"}})", category, false},
        {400, "Invalid API key given", category, false},
    });
}

// S-39
TEST(Failure, OutOfCredits) {
    const Category category = Category::out_of_credits;
    expect_all({
        {402, R"({"type":"error","error":{"type":"billing_error","message":"pay"}})", category,
         false},
        {402, "payment required", category, false},
        {429,
         R"({"error":{"message":"quota","type":"insufficient_quota","code":"credit_balance_exhausted"}})",
         category, false},
        {429, R"({"error":{"message":"quota","type":"insufficient_quota","code":"some_new_code"}})",
         category, false},
        {429,
         R"({"error":{"message":"quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
         category, false},
        {429,
         R"({"type":"error","error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}})",
         category, false},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}})",
         category, false},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}})",
         category, false},
    });
}

// S-40
TEST(Failure, RateLimited) {
    const Category category = Category::rate_limited;
    expect_all({
        {429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"}})", category,
         true},
        {429,
         R"({"type":"error","error":{"type":"rate_limit_error","message":"x","details":{"error_code":"ramp_limit_exceeded"}}})",
         category, true},
        {429, R"({"error":{"message":"x","type":"requests","code":"rate_limit_exceeded"}})",
         category, true},
        {503, R"({"error":{"message":"x","type":"server_error","code":"slow_down"}})", category,
         true},
        {429, R"([{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x"}}])", category,
         true},
        {429, "", category, true},
        {400, "Too many requests", category, true},
    });
}

// S-42
TEST(Failure, ServerError) {
    const Category category = Category::server_error;
    expect_all({
        {500, R"({"type":"error","error":{"type":"api_error","message":"x"}})", category, true},
        {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
         category, true},
        {529, "", category, true},
        {502, "<html><h1>Bad gateway</h1></html>", category, true},
        {503, R"({"error":{"status":"UNAVAILABLE","message":"x"}})", category, true},
        {504, "", category, true},
        {522, "", category, true},
        {408, "", category, true},
        {501, "", category, false},
    });
}

// S-43
TEST(Failure, Other) {
    const Category category = Category::other;
    expect_all({
        {404, R"({"type":"error","error":{"type":"not_found_error","message":"model: x"}})",
         category, false},
        {404, R"({"error":"model 'x' not found"})", category, false},
        {400,
         R"({"error":{"message":"Function tools with reasoning_effort are not supported","type":"invalid_request_error","param":"reasoning_effort","code":null}})",
         category, false},
        {413, R"({"type":"error","error":{"type":"request_too_large","message":"x"}})", category,
         false},
        {409, R"({"type":"error","error":{"type":"conflict_error","message":"x"}})", category,
         true},
        {422, R"({"detail":[{"msg":"extra_forbidden"}]})", category, false},
        {307, "", category, false},
    });
}

TEST(Failure, ContextOverflowIsKnown) {
    const std::vector<std::pair<int, std::string>> table{
        {400,
         R"({"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}})"},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})"},
        {400,
         R"({"error":{"code":400,"message":"x","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}})"},
        {400, R"({"error":"request exceeds the available context size"})"},
        {400, "This model's maximum context length is 8192 tokens"},
        {413, "<html><title>413 Request Entity Too Large</title>"},
        {413, R"({"error":{"type":"request_too_large","message":"x"}})"},
        {500, "the input exceeds the context window"}};
    for (const auto& [status, body] : table) {
        const Failure failure = failure_of({status, body, {}, {}});
        EXPECT_TRUE(failure.context_overflow) << body;
        EXPECT_EQ(failure.category, Category::other) << body;
        EXPECT_FALSE(failure.retryable) << body;
    }
    EXPECT_FALSE(failure_of({429, "maximum context length", {}, {}}).context_overflow);
}

TEST(Failure, ARetryAfterHasItsBound) {
    Complaint complaint;
    complaint.status = 429;
    complaint.retry_after_ms = std::int64_t{1} << 60;
    EXPECT_EQ(classify("p", complaint).retry_after_ms, std::int64_t{31} * 86'400'000);
}

TEST(Failure, TheServerSaysWhetherToTryAgain) {
    Complaint complaint;
    complaint.status = 500;
    complaint.should_retry = false;
    EXPECT_FALSE(classify("p", complaint).retryable);
    complaint.status = 400;
    complaint.should_retry = true;
    EXPECT_TRUE(classify("p", complaint).retryable);
}

TEST(Failure, MessagesAreForPeople) {
    EXPECT_EQ(
        failure_of(
            {401,
             R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
             {},
             {}})
            .message,
        "p: 401 authentication_error: invalid x-api-key");
    EXPECT_EQ(failure_of({404, R"({"error":"model 'x' not found"})", {}, {}}).message,
              "p: 404: model 'x' not found");
    EXPECT_EQ(failure_of({502, "<html>…", {}, {}}).message, "p: 502: a web page");
}

TEST(Failure, MessagesHoldNeitherKeysNorControlsNorNovels) {
    const Failure failure =
        failure_of({400, "bad key sk-secret-key\x1b[31m\nnext " + std::string(5000, 'x'),
                    Category::other, false});
    EXPECT_EQ(failure.message.find("sk-secret"), std::string::npos);
    EXPECT_NE(failure.message.find("bad key [key]\\x1b[31m\\nnext"), std::string::npos)
        << failure.message;
    EXPECT_LT(failure.message.size(), 520U);
}

TEST(Failure, EveryCategoryHasACodeOfItsOwn) {
    EXPECT_EQ(error_code(Category::unauthorized), base::ErrorCode::unauthorized);
    EXPECT_EQ(error_code(Category::out_of_credits), base::ErrorCode::out_of_credits);
    EXPECT_EQ(error_code(Category::rate_limited), base::ErrorCode::rate_limited);
    EXPECT_EQ(error_code(Category::no_internet), base::ErrorCode::no_internet);
    EXPECT_EQ(error_code(Category::server_error), base::ErrorCode::server_error);
    EXPECT_EQ(error_code(Category::other), base::ErrorCode::provider_error);
}

}  // namespace
}  // namespace chorus::model
