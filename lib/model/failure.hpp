// Why a model could not answer, in the categories of chorus(7), section ERRORS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace chorus::model {

enum class Category {
    unauthorized,
    out_of_credits,
    rate_limited,
    no_internet,
    server_error,
    other
};
std::string_view name(Category category);
base::ErrorCode error_code(Category category);

inline constexpr std::size_t longest_id_bytes = 128;  // of a request id that is shown

struct Failure {
    Category category = Category::other;
    std::string message = {};     // "anthropic: 401 authentication_error: invalid x-api-key"
    std::string request_id = {};  // the provider's, if it gave one
    int status = 0;               // HTTP, or 0
    bool retryable = false;
    bool context_overflow = false;
    bool declined = false;  // a content filter refused the request
    std::optional<std::int64_t> retry_after_ms = {};
};

// The parts of a provider's error report; classify() evaluates them.
struct Complaint {
    int status = 0;
    std::string code;  // the most specific word: "insufficient_quota"
    std::string type;  // "invalid_request_error", "RESOURCE_EXHAUSTED"
    std::string message;
    std::string request_id;
    std::optional<bool> should_retry;  // the header x-should-retry
    std::optional<std::int64_t> retry_after_ms;
};

// The most specific information decides: code, then type, then status; the message's words only if
// these leave it open. x-should-retry overrides whether a retry is worthwhile.
Failure classify(std::string_view provider, const Complaint& complaint);

}  // namespace chorus::model
