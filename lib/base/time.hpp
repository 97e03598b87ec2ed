// Points in time. Inside the program they are milliseconds since the epoch, UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::base {

using TimeMs = std::int64_t;

// "2026-02-12T10:30:00.123Z"
std::string iso8601(TimeMs time);
// The inverse; the fraction may be missing. Returns nothing for malformed text.
std::optional<TimeMs> parse_iso8601(std::string_view text);
// "20260212103000", as used in directory names.
std::string compact_utc(TimeMs time);
// "600 s", "0.3 s": rounded up to tenths.
std::string seconds_text(std::int64_t ms);
// Returns the milliseconds of "90" (seconds), "90s", "10m", "1h30m", "1d" or "1w"; nothing for
// malformed text.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);
// A point in time as people write it: "now", "today" or "yesterday" (their first moment),
// "2026-02-12" or "20260212", "2026-02-12T10:30" with or without seconds and a zone, or a duration
// before `now` ("2h"). A time without a zone is local. Returns nothing for malformed text.
std::optional<TimeMs> parse_when(std::string_view text, TimeMs now);

}  // namespace chorus::base
