#include "net/retry_after.hpp"

#include <algorithm>
#include <string_view>

#include "base/number.hpp"

namespace chorus::net {
namespace {

constexpr double longest_ms = 1e12;  // longer waits are cut to this

std::optional<std::int64_t> parse_wait(std::string_view text, double unit_ms) {
    const auto value = base::parse_number<double>(text);
    if (!value || !(*value >= 0)) return {};
    return static_cast<std::int64_t>(std::min(*value * unit_ms, longest_ms));
}

}  // namespace

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
