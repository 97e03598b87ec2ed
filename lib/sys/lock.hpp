// Open-file-description locks: the kernel frees them however the process ends. Lock files are made
// once (0600) and never unlinked. Waiters are served in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sys/lock_file.hpp"

namespace chorus::sys {

class Lock {
  public:
    using Mode = LockMode;
    using Range = LockRange;

    // Returns nothing where another open file description holds it.
    static std::optional<Lock> try_acquire(const std::string& path, Mode mode, Range range = {});
    // Waits at most `wait_ms` (negative: forever). Gives up early when `stop`, called every few
    // milliseconds, returns true.
    static std::optional<Lock> acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});
    static std::optional<Lock> acquire(const std::string& path, Mode mode, Range range,
                                       std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});

    // Drops the lock; the destructor does it too.
    void release() { file_.close(); }
    // A duplicate of the descriptor holds the lock too; the lock is freed with the last one.
    int fd() const { return file_.fd(); }

  private:
    explicit Lock(LockFile file) : file_(std::move(file)) {}
    LockFile file_;
};

}  // namespace chorus::sys
