#include "sys/clock.hpp"

#include <chrono>

#include "sys/environment.hpp"

namespace chorus::sys {

base::TimeMs now_ms() {
    static const std::optional<std::int64_t> fixed = fixed_now_ms();
    if (fixed) return *fixed;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t monotonic_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace chorus::sys
