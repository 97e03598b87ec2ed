#include "net/response_head.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace chorus::net {
namespace {

constexpr double longest_ms = 1e12;  // longer waits are cut to this

std::optional<std::int64_t> parse_wait(std::string_view text, double unit_ms) {
    const auto value = base::parse_number<double>(text);
    if (!value || !(*value >= 0)) return {};
    return static_cast<std::int64_t>(std::min(*value * unit_ms, longest_ms));
}

int parse_status(std::string_view line) {
    std::string_view rest = line.substr(line.find(' ') + 1);  // all of it without a blank
    return base::take_number<int>(rest).value_or(0);
}

}  // namespace

bool Head::add_trailer(std::string_view line) {
    size_bytes_ += line.size();
    return size_bytes_ <= base::limits::http_head_bytes;
}

bool Head::add_line(std::string_view line) {
    if (!add_trailer(line)) return false;
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) {
        headers_.clear();
        status_ = parse_status(line);
    } else if (colon != std::string_view::npos && colon > 0) {
        std::string& value = headers_[base::to_lower_ascii(base::trim(line.substr(0, colon)))];
        if (!value.empty()) value += ", ";
        value += base::trim(line.substr(colon + 1));
    }
    return true;
}

std::optional<std::int64_t> retry_after_ms(
    const Headers& headers, std::int64_t now_ms,
    const std::function<std::time_t(const std::string&)>& parse_date) {
    if (const auto wait = parse_wait(header_of(headers, "retry-after-ms"), 1)) return wait;
    const std::string text = header_of(headers, "retry-after");
    if (text.empty()) return {};
    if (const auto wait = parse_wait(text, 1000)) return wait;
    const std::time_t until = parse_date(text);
    if (until < 0) return {};
    const std::time_t sent = parse_date(header_of(headers, "date"));
    const std::int64_t from_ms = sent < 0 ? now_ms : std::int64_t{sent} * 1000;
    return std::max<std::int64_t>(0, std::int64_t{until} * 1000 - from_ms);
}

}  // namespace chorus::net
