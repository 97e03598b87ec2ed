// Open-file-description locks: the kernel frees them however the process ends. Lock files are made
// once (0600) and never unlinked. Waiters queue with further locks beyond the file's end: neither a
// newcomer nor the last holder overtakes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sys/fd.hpp"

namespace chorus::sys {

enum class LockMode { shared, exclusive };

struct LockRange {
    std::int64_t start = 0;
    std::int64_t length = 0;  // 0: the whole file
};

// One open lock file and the ranges that are locked through it.
class LockFile {
  public:
    // Makes the file (0600) where it is missing. Throws where that fails, except on a read-only
    // file system: nothing that the lock guards can change there, so the lock counts as free.
    explicit LockFile(const std::string& path);

    // Ignores waiters; returns false where another description holds it.
    bool try_take(LockMode mode, LockRange range) const;
    // Queues for at most `wait_ms` (negative: forever), or until `stop` returns true.
    bool take(LockMode mode, LockRange range, std::int64_t wait_ms,
              const std::function<bool()>& stop) const;
    void drop(LockRange range) const;
    void close() { fd_.reset(); }
    int fd() const { return fd_.get(); }

  private:
    std::string path_;
    Fd fd_;
};

class Lock {
  public:
    using Mode = LockMode;
    using Range = LockRange;

    // Returns nothing where another open file description holds it.
    static std::optional<Lock> try_acquire(const std::string& path, Mode mode, Range range = {});
    // Waits at most `wait_ms` (negative: forever). Gives up early when `stop`, called every few
    // milliseconds, returns true.
    static std::optional<Lock> acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {}, Range range = {});

    // Drops the lock; the destructor does it too.
    void release() { file_.close(); }
    // A duplicate of the descriptor holds the lock too; the lock is freed with the last one.
    int fd() const { return file_.fd(); }

  private:
    explicit Lock(LockFile file) : file_(std::move(file)) {}
    LockFile file_;
};

}  // namespace chorus::sys
