// Why a model could not answer, in the categories of chorus(7), section ERRORS.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace chorus::model {

enum class Category { unauthorized, out_of_credits, rate_limited, no_internet, server_error, other };
std::string_view name(Category category);
base::ErrorCode error_code(Category category);

struct Failure {
    Category category = Category::other;
    std::string message;     // "anthropic: 401 authentication_error: invalid x-api-key", for people
    std::string request_id;  // of the provider, where it gave one
    int status = 0;          // HTTP, or 0
    bool retryable = false;
    bool context_overflow = false;
    std::optional<std::int64_t> retry_after_ms;
};

}  // namespace chorus::model
