// Open-file-description locks: freed by the kernel when the process dies however it dies. Lock
// files are made once (0600) and never unlinked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

class Lock {
  public:
    enum class Mode { shared, exclusive };
    struct Range {
        std::int64_t start = 0;
        std::int64_t length = 0;  // 0: the whole file
    };

    // Nothing when another description holds it.
    static std::optional<Lock> try_acquire(const std::string& path, Mode mode);
    static std::optional<Lock> try_acquire(const std::string& path, Mode mode, Range range);
    // Waits at most `wait_ms` (negative: for ever), polling with growing pauses of at most 20 ms;
    // gives up early when `stop` says so.
    static std::optional<Lock> acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});
    static std::optional<Lock> acquire(const std::string& path, Mode mode, Range range,
                                       std::int64_t wait_ms,
                                       const std::function<bool()>& stop = {});

    // Drops the lock; the destructor does it too.
    void release() { fd_.reset(); }

  private:
    explicit Lock(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

}  // namespace chorus::sys
