// Parses the header of an answer line by line as it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.hpp"

namespace chorus::net {

class Head {
  public:
    // A status line discards earlier headers, which belong to an interim answer. Returns false past
    // the bound (base/limits.hpp) on all lines of the exchange.
    bool add_line(std::string_view line);
    // A line after the body; it is only counted.
    bool add_trailer(std::string_view line);
    // The newest status, including interim ones (1xx); 0 before any.
    int status() const { return status_; }
    const Headers& headers() const { return headers_; }

  private:
    Headers headers_;
    int status_ = 0;
    std::size_t size_bytes_ = 0;
};

// Returns the wait from retry-after-ms, else from retry-after in seconds, else from retry-after as
// a date, counted from the answer's own date or, without one, from `now_ms`. `parse_date` returns
// -1 on failure.
std::optional<std::int64_t> retry_after_ms(
    const Headers& headers, std::int64_t now_ms,
    const std::function<std::time_t(const std::string&)>& parse_date);

}  // namespace chorus::net
