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
    std::string message;     // "anthropic: 401 authentication_error: invalid x-api-key", for people
    std::string request_id;  // of the provider, where it gave one
    int status = 0;          // HTTP, or 0
    bool retryable = false;
    bool context_overflow = false;
    bool declined = false;  // a filter's verdict on what was asked
    std::optional<std::int64_t> retry_after_ms;
};

// What a provider said, wherever it stood; classify() weighs it.
struct Complaint {
    int status = 0;
    std::string code;  // the most particular word: "insufficient_quota"
    std::string type;  // "invalid_request_error", "RESOURCE_EXHAUSTED"
    std::string message;
    std::string request_id;
    std::optional<bool> should_retry;  // the header x-should-retry
    std::optional<std::int64_t> retry_after_ms;
};

// The most particular word decides: code, then type, then status, and the message's words only
// where these leave it open. x-should-retry overrules whether it is worth another try.
Failure classify(std::string_view provider, const Complaint& complaint);

}  // namespace chorus::model
