#include "sys/clock.hpp"

#include <chrono>

#include "sys/environment.hpp"

namespace chorus::sys {

using std::chrono::duration_cast;

base::TimeMs now_ms() {
    static const std::optional<std::int64_t> fixed = fixed_now_ms();
    if (fixed) return *fixed;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t monotonic_ms() {
    return monotonic_us() / 1000;
}

std::int64_t monotonic_us() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace chorus::sys
