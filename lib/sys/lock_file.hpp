// One open lock file and the ranges that are locked through it. Waiters queue with further locks
// beyond the file's end: neither a newcomer nor the last holder overtakes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

enum class LockMode { shared, exclusive };

struct LockRange {
    std::int64_t start = 0;
    std::int64_t length = 0;  // 0: the whole file
};

class LockFile {
  public:
    // Makes the file (0600) where it is missing. Throws where that fails, except on a read-only
    // file system: nothing that the lock guards can change there, so the lock counts as free.
    explicit LockFile(const std::string& path);

    // Ignores waiters; returns false where another description holds it.
    bool try_take(LockMode mode, LockRange range);
    // Queues for at most `wait_ms` (negative: forever), or until `stop` returns true.
    bool take(LockMode mode, LockRange range, std::int64_t wait_ms,
              const std::function<bool()>& stop);
    void drop(LockRange range);
    void close() { fd_.reset(); }
    int fd() const { return fd_.get(); }

  private:
    bool is_waited_for(LockRange range) const;
    std::string path_;
    Fd fd_;
};

}  // namespace chorus::sys
