// How long processes wait for a lock that many want: measured by programs that take it in the way
// chorus does, by the same code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fault {

struct Waits {
    std::vector<std::int64_t> us;   // in order of length
    double ms(double share) const;  // 0.5: half waited no longer
    std::string text() const;
};

// `processes` of them write rows for so long, each commit a store::Transaction; what is measured is
// from asking for one until it has begun.
Waits gate_waits(const std::string& home, int processes, int duration_ms);
// The same for sys::Lock on a file, held for `hold_ms` each time.
Waits lock_waits(const std::string& path, int processes, int duration_ms, int hold_ms);

}  // namespace fault
