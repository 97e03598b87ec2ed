// Reads how long a server asks to wait.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>

#include "net/http.hpp"

namespace chorus::net {

// Returns the wait from retry-after-ms, else from retry-after in seconds, else from retry-after as
// a date, counted from the answer's own date or, without one, from `now_ms`. `parse_date` returns
// -1 on failure.
std::optional<std::int64_t> retry_after_ms(
    const Headers& headers, std::int64_t now_ms,
    const std::function<std::time_t(const std::string&)>& parse_date);

}  // namespace chorus::net
