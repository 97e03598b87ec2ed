#include "sys/lock.hpp"

namespace chorus::sys {

std::optional<Lock> Lock::try_acquire(const std::string& path, Mode mode, Range range) {
    LockFile file(path);
    if (!file.try_take(mode, range)) return std::nullopt;
    return Lock(std::move(file));
}

std::optional<Lock> Lock::acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                  const std::function<bool()>& stop) {
    return acquire(path, mode, Range{}, wait_ms, stop);
}

std::optional<Lock> Lock::acquire(const std::string& path, Mode mode, Range range,
                                  std::int64_t wait_ms, const std::function<bool()>& stop) {
    LockFile file(path);
    if (!file.take(mode, range, wait_ms, stop)) return std::nullopt;
    return Lock(std::move(file));
}

}  // namespace chorus::sys
