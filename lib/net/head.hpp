// The header of an answer, line by line as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::net {

using Headers = std::map<std::string, std::string>;

class Head {
  public:
    // A status line begins anew: what came before was an interim answer. False past the bound
    // (base/limits.hpp), which counts all lines of the exchange.
    bool add_line(std::string_view line);
    // A line behind the body: only counted.
    bool add_trailer(std::string_view line);
    // Of the newest status line, interim ones (1xx) too; 0 before any.
    int status() const { return status_; }
    const Headers& headers() const { return headers_; }
    // Empty where there is none.
    std::string_view find(const std::string& name) const;

  private:
    Headers headers_;
    int status_ = 0;
    std::size_t size_bytes_ = 0;
};

// retry-after-ms, else retry-after in seconds, else as a date, which is counted from the answer's
// own date where it has one and from `now_ms` else. `parse_date` gives -1 where it cannot.
std::optional<std::int64_t> retry_after_ms(
    const Headers& headers, std::int64_t now_ms,
    const std::function<std::time_t(const std::string&)>& parse_date);

}  // namespace chorus::net
