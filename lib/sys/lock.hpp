// Open-file-description locks: freed by the kernel when the process dies however it dies. Lock
// files are made once (0600) and never unlinked. Who waits is served in order.
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

    // Nothing when another description holds it.
    static std::optional<Lock> try_acquire(const std::string& path, Mode mode, Range range = {});
    // Waits at most `wait_ms` (negative: for ever); gives up early when `stop`, asked every few
    // milliseconds, says so.
    static std::optional<Lock> acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});
    static std::optional<Lock> acquire(const std::string& path, Mode mode, Range range,
                                       std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});

    // Drops the lock; the destructor does it too.
    void release() { file_.close(); }
    // Whoever has a duplicate of it has the lock too, and it is dropped with the last one.
    int fd() const { return file_.fd(); }

  private:
    explicit Lock(LockFile file) : file_(std::move(file)) {}
    LockFile file_;
};

}  // namespace chorus::sys
