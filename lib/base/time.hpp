// Points in time are epoch milliseconds UTC everywhere but at the edges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::base {

using TimeMs = std::int64_t;

// "2026-02-12T10:30:00.123Z"
std::string iso8601(TimeMs time);
// The inverse; also without the fraction. Nothing where it is malformed.
std::optional<TimeMs> parse_iso8601(std::string_view text);
// "20260212103000", as directory names carry it.
std::string compact_utc(TimeMs time);
// "600 s", "0.3 s": what is not whole is rounded up to tenths.
std::string seconds_text(std::int64_t ms);
// "90", "90s", "10m", "1h30m", "1d", "1w": milliseconds, a bare number being seconds. Nothing where
// malformed.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);
// A point in time as people write it: "now", the first moment of "today", "yesterday", "2026-02-12"
// or "20260212", "2026-02-12T10:30" with or without seconds and a zone, or a duration before `now`
// ("2h"). Without a zone it is of the local one. Nothing where malformed.
std::optional<TimeMs> parse_when(std::string_view text, TimeMs now);

}  // namespace chorus::base
