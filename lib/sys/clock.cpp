#include "sys/clock.hpp"

#include <cerrno>
#include <ctime>

#include "sys/environment.hpp"

namespace chorus::sys {
namespace {

timespec read_clock(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now;
}

constexpr std::time_t hour = 3600;

std::tm local(std::time_t seconds) {
    std::tm fields{};
    localtime_r(&seconds, &fields);
    return fields;
}

bool same_day(std::time_t seconds, const std::tm& day) {
    const std::tm fields = local(seconds);
    return fields.tm_mday == day.tm_mday && fields.tm_mon == day.tm_mon &&
           fields.tm_year == day.tm_year;
}

std::time_t midnight_of(const std::tm& day) {
    std::tm midnight = day;
    midnight.tm_hour = midnight.tm_min = midnight.tm_sec = 0;
    midnight.tm_isdst = -1;
    return std::mktime(&midnight);
}

}  // namespace

base::TimeMs now_ms() {
    static const std::optional<std::int64_t> fixed = fixed_now_ms();
    if (fixed) return *fixed;
    const timespec now = read_clock(CLOCK_REALTIME);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t monotonic_ms() {
    return monotonic_us() / 1000;
}

std::int64_t monotonic_us() {
    const timespec now = read_clock(CLOCK_MONOTONIC);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

base::TimeMs local_day_start(base::TimeMs time) {
    tzset();
    const std::time_t seconds = time / 1000 - (time % 1000 < 0 ? 1 : 0);
    const std::tm day = local(seconds);
    std::time_t start = midnight_of(day);
    // Where the clock jumps at midnight, 00:00 does not exist and mktime may name the hour before;
    // where it steps back to 00:00, the day has that hour twice and begins with the first.
    if (!same_day(start, day)) start += hour;
    if (same_day(start - hour, day)) start -= hour;
    return std::int64_t{start} * 1000;
}

}  // namespace chorus::sys
