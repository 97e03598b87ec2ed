#include "cli/time_text.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"

namespace chorus::cli {
namespace {

base::Error malformed(const std::string& text, const char* option, const char* what,
                      const char* hint) {
    return {base::ErrorCode::bad_request,
            std::string(option) + ": " + base::quoted(text) + " is " + what, hint};
}

}  // namespace

std::int64_t require_duration_ms(const std::string& text, const char* option) {
    if (const auto value = base::parse_duration_ms(text)) return *value;
    throw malformed(text, option, "not a duration", "write 90s, 10m, 1h30m, 2d or 1w");
}

base::MicroUsd require_usd(const std::string& text, const char* option) {
    const auto usd = base::parse_number<double>(text);
    if (usd && base::is_budget(*usd)) return base::micro_usd(*usd);
    throw malformed(text, option, "not an amount of dollars from 0.000001 to 1000000",
                    "write 0.50 or 2");
}

base::TimeMs require_time(const std::string& text, const char* option) {
    if (const auto time = base::parse_when(text, sys::now_ms())) return *time;
    throw malformed(
        text, option, "not a time",
        "write 2026-02-12, 2026-02-12T10:30, now, today, yesterday, or how long ago: 90m, 2h, 7d");
}

std::string span_text(std::int64_t ms) {
    const std::int64_t seconds = std::max<std::int64_t>(0, ms) / 1000;
    if (seconds < 120) return std::to_string(seconds) + " sec";
    if (seconds < 7200) return std::to_string(seconds / 60) + " min";
    if (seconds < 172'800) return std::to_string(seconds / 3600) + " h";
    return std::to_string(seconds / 86'400) + " days";
}

std::string duration_text(std::int64_t ms) {
    if (ms < 1'000) return std::to_string(std::max<std::int64_t>(0, ms)) + " ms";
    if (ms < 60'000)
        return std::to_string(ms / 1'000) + "." + std::to_string(ms % 1'000 / 100) + " sec";
    if (ms >= 3'600'000)
        return std::to_string(ms / 3'600'000) + " h " + std::to_string(ms / 60'000 % 60) + " min";
    return std::to_string(ms / 60'000) + " min " + std::to_string(ms / 1'000 % 60) + " sec";
}

std::string shown_time(base::TimeMs time) {
    return isatty(STDOUT_FILENO) == 1 ? ago(time) : base::iso8601(time);
}

std::string ago(base::TimeMs time) {
    return time == 0 ? "" : span_text(sys::now_ms() - time) + " ago";
}

}  // namespace chorus::cli
