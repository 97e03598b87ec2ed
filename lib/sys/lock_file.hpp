// One open lock file and the ranges that are locked through it. Who waits stands in line, which is
// more locks, beyond the file's end: neither a newcomer nor who has just let go overtakes.
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
    // Makes it (0600) where it is missing. Throws where it cannot be; but on a read-only file
    // system, where nobody changes what it guards, it is as if nobody else had it.
    explicit LockFile(const std::string& path);

    // Past whoever waits; false where another description holds it.
    bool try_take(LockMode mode, LockRange range);
    // In line; for at most `wait_ms` (negative: for ever), and no longer than until `stop` says so.
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
