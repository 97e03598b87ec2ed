#include "base/time.hpp"
#include "base/number.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/format.h>

namespace chorus::base {
namespace {

bool read_number(std::string_view text, std::size_t position, std::size_t digits, int& value) {
    if (position + digits > text.size() || text[position] == '-') return false;
    const auto number = parse_number<int>(text.substr(position, digits));
    value = number.value_or(0);
    return number.has_value();
}

// ".5" is 500 ms; finer digits are cut off.
std::optional<TimeMs> take_fraction(std::string_view& rest) {
    if (!rest.starts_with('.')) return 0;
    constexpr std::size_t most_digits = 9;
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1 || end - 1 > most_digits) return std::nullopt;
    TimeMs ms = 0;
    for (std::size_t at = 1; at < 4; ++at) ms = ms * 10 + (at < end ? rest[at] - '0' : 0);
    rest.remove_prefix(end);
    return ms;
}

// "Z", "+02:00", "+0200", or nothing, which is UTC.
std::optional<TimeMs> read_offset(std::string_view zone) {
    if (zone.empty() || zone == "Z") return 0;
    const bool has_colon = zone.size() == 6 && zone[3] == ':';
    int hours = 0;
    int minutes = 0;
    if ((zone[0] != '+' && zone[0] != '-') || (zone.size() != 5 && !has_colon) ||
        !read_number(zone, 1, 2, hours) || !read_number(zone, has_colon ? 4 : 3, 2, minutes) ||
        hours > 23 || minutes > 59)
        return std::nullopt;
    const TimeMs offset = (hours * 60 + minutes) * 60'000;
    return zone[0] == '-' ? -offset : offset;
}

// The zone of a time that names none.
enum class Zone { utc, local };

// "2026-02-12"
std::optional<std::tm> read_day(std::string_view text) {
    std::tm day{};
    if (text.size() != 10 || text[4] != '-' || text[7] != '-' ||
        !read_number(text, 0, 4, day.tm_year) || !read_number(text, 5, 2, day.tm_mon) ||
        !read_number(text, 8, 2, day.tm_mday))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(day.tm_year),
                                           std::chrono::month(static_cast<unsigned>(day.tm_mon)),
                                           std::chrono::day(static_cast<unsigned>(day.tm_mday))};
    if (!date.ok()) return std::nullopt;
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    day.tm_isdst = -1;
    return day;
}

TimeMs seconds_of(std::tm fields, Zone zone) {
    return zone == Zone::utc ? timegm(&fields) : mktime(&fields);
}

// A day, then 'T' or a blank and "10:30", "10:30:00" or "10:30:00.5", then an optional zone.
std::optional<TimeMs> read_moment(std::string_view text, Zone zone) {
    auto fields = read_day(text.substr(0, 10));
    if (!fields) return std::nullopt;
    if (text.size() == 10) return seconds_of(*fields, zone) * 1000;
    if ((text[10] != 'T' && text[10] != ' ') || !read_number(text, 11, 2, fields->tm_hour) ||
        text.substr(13, 1) != ":" || !read_number(text, 14, 2, fields->tm_min))
        return std::nullopt;
    std::string_view rest = text.substr(16);
    if (rest.starts_with(':')) {
        if (!read_number(rest, 1, 2, fields->tm_sec)) return std::nullopt;
        rest.remove_prefix(3);
    }
    if (fields->tm_hour > 23 || fields->tm_min > 59 || fields->tm_sec > 60) return std::nullopt;
    const auto ms = take_fraction(rest);
    const auto offset_ms = ms ? read_offset(rest) : std::nullopt;
    if (!offset_ms) return std::nullopt;
    return seconds_of(*fields, rest.empty() ? zone : Zone::utc) * 1000 + *ms - *offset_ms;
}

// Returns the first moment of the local day that is `days_before` days before that of `now`.
TimeMs local_midnight(TimeMs now, int days_before) {
    const std::time_t seconds = now / 1000;
    std::tm fields{};
    localtime_r(&seconds, &fields);
    fields.tm_hour = fields.tm_min = fields.tm_sec = 0;
    fields.tm_mday -= days_before;
    fields.tm_isdst = -1;
    return static_cast<TimeMs>(mktime(&fields)) * 1000;
}

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// gmtime_r(3) would first read the local time zone's file.
std::string iso8601(TimeMs time) {
    using namespace std::chrono;
    const sys_time<milliseconds> moment{milliseconds(time)};
    const auto midnight = floor<days>(moment);
    const year_month_day date(midnight);
    const hh_mm_ss clock(moment - midnight);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::optional<TimeMs> parse_iso8601(std::string_view text) {
    if (text.size() < 19 || text[10] != 'T' || text[16] != ':') return std::nullopt;
    return read_moment(text, Zone::utc);
}

std::string compact_utc(TimeMs time) {
    std::string text = iso8601(time);
    std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    return text.substr(0, text.size() - 3);
}

std::string seconds_text(std::int64_t ms) {
    const std::int64_t tenths = (ms + 99) / 100;
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
    return text + " s";
}

std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
    constexpr std::int64_t most_ms = 1'000'000'000'000;  // 31 years
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{{{"w", 604'800'000},
                                                                              {"d", 86'400'000},
                                                                              {"h", 3'600'000},
                                                                              {"m", 60'000},
                                                                              {"s", 1000},
                                                                              {"ms", 1}}};
    if (is_digits(text)) return parse_duration_ms(std::string(text) + "s");
    std::int64_t sum = 0;
    const auto* next = units.begin();  // "1h30m": each unit is smaller than the one before
    do {
        const std::int64_t number = take_number<std::int64_t>(text).value_or(-1);
        if (number < 0 || number > most_ms) return std::nullopt;
        const std::string_view unit = text.substr(0, text.find_first_of("0123456789"));
        next = std::find_if(next, units.end(), [&](const auto& one) { return one.first == unit; });
        if (next == units.end() || number > most_ms / next->second) return std::nullopt;
        sum += number * next->second;
        ++next;
        text.remove_prefix(unit.size());
    } while (!text.empty());
    return sum <= most_ms ? std::optional(sum) : std::nullopt;
}

std::optional<TimeMs> parse_when(std::string_view text, TimeMs now) {
    if (text == "now") return now;
    if (text == "today") return local_midnight(now, 0);
    if (text == "yesterday") return local_midnight(now, 1);
    if (is_digits(text))
        return text.size() == 8 ? read_moment(fmt::format("{}-{}-{}", text.substr(0, 4),
                                                          text.substr(4, 2), text.substr(6)),
                                              Zone::local)
                                : std::nullopt;
    if (const auto ago = parse_duration_ms(text)) return now - *ago;
    return read_moment(text, Zone::local);
}

}  // namespace chorus::base
