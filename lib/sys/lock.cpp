#include "sys/lock.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/error.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

constexpr std::int64_t longest_pause_us = 20'000;
constexpr std::int64_t first_pause_us = 500;

Fd open_lock_file(const std::string& path) {
    // Not blocking, and no following: whatever stands there in place of our file must not hold us
    // up.
    Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600));
    if (!fd) throw base::system_error(path);
    return fd;
}

bool take(const Fd& fd, const std::string& path, Lock::Mode mode, Lock::Range range) {
    struct flock wanted {};
    wanted.l_type = mode == Lock::Mode::shared ? F_RDLCK : F_WRLCK;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = range.start;
    wanted.l_len = range.length;
    if (fcntl(fd.get(), F_OFD_SETLK, &wanted) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    throw base::system_error("lock " + path);
}

void pause_us(std::int64_t duration_us) {
    const timespec duration{0, duration_us * 1000};
    nanosleep(&duration, nullptr);
}

}  // namespace

std::optional<Lock> Lock::try_acquire(const std::string& path, Mode mode) {
    return try_acquire(path, mode, Range{});
}

std::optional<Lock> Lock::try_acquire(const std::string& path, Mode mode, Range range) {
    Fd fd = open_lock_file(path);
    if (!take(fd, path, mode, range)) return std::nullopt;
    return Lock(std::move(fd));
}

std::optional<Lock> Lock::acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                  const std::function<bool()>& stop) {
    return acquire(path, mode, Range{}, wait_ms, stop);
}

std::optional<Lock> Lock::acquire(const std::string& path, Mode mode, Range range,
                                  std::int64_t wait_ms, const std::function<bool()>& stop) {
    Fd fd = open_lock_file(path);
    const std::int64_t began_ms = monotonic_ms();
    std::int64_t pause = first_pause_us;
    while (!take(fd, path, mode, range)) {
        const std::int64_t waited_ms = monotonic_ms() - began_ms;
        if (wait_ms >= 0 && waited_ms >= wait_ms) return std::nullopt;
        if (stop && stop()) return std::nullopt;
        const bool last = wait_ms >= 0 && wait_ms - waited_ms < pause / 1000;
        pause_us(last ? (wait_ms - waited_ms) * 1000 : pause);
        pause = std::min(pause * 2, longest_pause_us);
    }
    return Lock(std::move(fd));
}

}  // namespace chorus::sys
