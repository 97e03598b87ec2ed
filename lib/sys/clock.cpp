#include "sys/clock.hpp"

#include <ctime>

#include "sys/environment.hpp"

namespace chorus::sys {
namespace {

timespec read_clock(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now;
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

}  // namespace chorus::sys
