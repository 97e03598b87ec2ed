#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace chorus::sys {

// The wall clock, or CHORUS_NOW_MS where a test has set it.
base::TimeMs now_ms();
// Monotonic, for durations and deadlines.
std::int64_t monotonic_ms();

}  // namespace chorus::sys
