#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace chorus::base {
namespace {

// gmtime_r(3) would read the file of the local time zone first.
std::tm utc(TimeMs time) {
    using namespace std::chrono;
    const auto second = floor<seconds>(sys_time<milliseconds>(milliseconds(time)));
    const auto midnight = floor<days>(second);
    const year_month_day date(midnight);
    const hh_mm_ss clock(second - midnight);
    std::tm fields{};
    fields.tm_year = static_cast<int>(date.year()) - 1900;
    fields.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
    fields.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
    fields.tm_hour = static_cast<int>(clock.hours().count());
    fields.tm_min = static_cast<int>(clock.minutes().count());
    fields.tm_sec = static_cast<int>(clock.seconds().count());
    return fields;
}

bool read_number(std::string_view text, std::size_t position, std::size_t digits, int& value) {
    if (position + digits > text.size()) return false;
    const char* first = text.data() + position;
    const auto [end, error] = std::from_chars(first, first + digits, value);
    return error == std::errc{} && end == first + digits && *first != '-';
}

// ".5" is 500 ms; what is finer is cut off.
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

}  // namespace

std::string iso8601(TimeMs time) {
    const std::tm t = utc(time);
    const int ms = static_cast<int>(((time % 1000) + 1000) % 1000);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", t.tm_year + 1900,
                  t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, ms);
    return text.data();
}

std::optional<TimeMs> parse_iso8601(std::string_view text) {
    std::tm t{};
    if (!read_number(text, 0, 4, t.tm_year) || !read_number(text, 5, 2, t.tm_mon) ||
        !read_number(text, 8, 2, t.tm_mday) || !read_number(text, 11, 2, t.tm_hour) ||
        !read_number(text, 14, 2, t.tm_min) || !read_number(text, 17, 2, t.tm_sec))
        return std::nullopt;
    if (text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year(t.tm_year),
                                          std::chrono::month(static_cast<unsigned>(t.tm_mon)),
                                          std::chrono::day(static_cast<unsigned>(t.tm_mday))};
    if (!day.ok() || t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60) return std::nullopt;
    std::string_view rest = text.substr(19);
    const auto ms = take_fraction(rest);
    const auto offset_ms = ms ? read_offset(rest) : std::nullopt;
    if (!offset_ms) return std::nullopt;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    return static_cast<TimeMs>(timegm(&t)) * 1000 + *ms - *offset_ms;
}

std::string compact_utc(TimeMs time) {
    const std::tm t = utc(time);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d%02d%02d%02d%02d%02d", t.tm_year + 1900,
                  t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
    return text.data();
}

std::string seconds_text(std::int64_t ms) {
    const std::int64_t tenths = (ms + 99) / 100;
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
    return text + " s";
}

std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
    std::int64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc{} || number < 0 || number > 1'000'000'000) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    if (unit.empty() || unit == "s") return number * 1000;
    if (unit == "ms") return number;
    if (unit == "m") return number * 60'000;
    if (unit == "h") return number * 3'600'000;
    if (unit == "d") return number * 86'400'000;
    return std::nullopt;
}

std::optional<TimeMs> parse_when(std::string_view text, TimeMs now) {
    if (const auto ago = parse_duration_ms(text)) return now - *ago;
    if (text == "yesterday") return parse_when(iso8601(now - 86'400'000).substr(0, 10), now);
    if (text.size() == 10) return parse_iso8601(std::string(text) + "T00:00:00Z");
    return parse_iso8601(text);
}

}  // namespace chorus::base
