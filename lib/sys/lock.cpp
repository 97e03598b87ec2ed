#include "sys/lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

// Beyond all ranges each range has a queue, its line: one byte for each place.
constexpr std::int64_t line_start = std::int64_t{1} << 62;
constexpr std::int64_t most_places = std::int64_t{1} << 32;
constexpr std::int64_t line_count = line_start / most_places;
constexpr std::int64_t look_ms = 20;  // how often a waiter calls `stop`

struct flock lock_of(short type, std::int64_t start, std::int64_t length) {
    struct flock wanted {};
    wanted.l_type = type;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = start;
    wanted.l_len = length;
    return wanted;
}

struct flock lock_of(LockMode mode, LockRange range) {
    return lock_of(mode == LockMode::shared ? F_RDLCK : F_WRLCK, range.start,
                   range.length == 0 ? line_start - range.start : range.length);
}

std::int64_t line_of(LockRange range) {
    return line_start + range.start % line_count * most_places;
}

// The locks of one open file.
struct Locks {
    int fd;
    const std::string& path;

    [[noreturn]] void fail() const { throw base::system_error("lock " + path); }
    // Whether a lock of another description conflicts with `wanted`, which is then set to that
    // lock.
    bool is_blocked(struct flock& wanted) const {
        if (fcntl(fd, F_OFD_GETLK, &wanted) != 0) fail();
        return wanted.l_type != F_UNLCK;
    }
    bool is_taken(struct flock wanted) const {
        int result = -1;
        do result = fcntl(fd, F_OFD_SETLK, &wanted);
        while (result != 0 && errno == EINTR);
        if (result != 0 && errno != EAGAIN && errno != EACCES) fail();
        return result == 0;
    }
    // For destructors too: what cannot be dropped is dropped when the file is closed.
    void drop(std::int64_t start, std::int64_t length) const {
        struct flock held = lock_of(F_UNLCK, start, length);
        fcntl(fd, F_OFD_SETLK, &held);
    }
};

// Interrupts a system call of this thread by a signal of its own.
class Alarm {
  public:
    Alarm() {
        struct sigaction interrupt {};
        interrupt.sa_handler = [](int) {};
        sigaction(SIGRTMIN, &interrupt, nullptr);
        sigset_t own;
        sigemptyset(&own);
        sigaddset(&own, SIGRTMIN);
        pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGRTMIN;
        event._sigev_un._tid = gettid();
        if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0)
            throw base::system_error("timer_create");
    }
    ~Alarm() { timer_delete(timer_); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    // Rings after that time, then each millisecond: a signal that arrives before the system call
    // interrupts nothing. 0 silences it.
    void set(std::int64_t ms) {
        const itimerspec times{{0, 1'000'000}, {0, ms * 1'000'000}};
        timer_settime(timer_, 0, &times, nullptr);
    }

  private:
    timer_t timer_{};
};

// Queues for a lock and waits in the kernel. A newcomer queues behind the last one. Each waits only
// for the one before it, so one that wakes up late, or waits in pieces, does not lose its place.
class Waiter {
  public:
    Waiter(const Locks& locks, LockRange range, std::int64_t wait_ms,
           const std::function<bool()>& stop)
        : locks_(locks), line_(line_of(range)), wait_ms_(wait_ms), stop_(stop) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { locks_.drop(line_, most_places); }

    bool take(const struct flock& wanted) {
        const auto place = join();
        return (!place || await_those_before(*place)) && waits_for(wanted);
    }

  private:
    // Returns the place, or nothing where none is left: after billions of waiters without a moment
    // when the queue was empty.
    std::optional<std::int64_t> join() const {
        std::int64_t place = 0;
        while (place < most_places) {
            struct flock behind = lock_of(F_WRLCK, line_ + place, most_places - place);
            const bool is_held = locks_.is_blocked(behind);
            // a lock of the whole file, as other programs take it: there is no queue then
            if (is_held && behind.l_len == 0) return std::nullopt;
            if (is_held)
                place = behind.l_start + behind.l_len - line_;
            else if (locks_.is_taken(lock_of(F_WRLCK, line_ + place, 1)))
                return place;
        }
        return std::nullopt;
    }

    // Where a waiter gave up or was killed, the one behind it waits for those before it.
    bool await_those_before(std::int64_t place) {
        struct flock before = lock_of(F_RDLCK, line_ + place - 1, 1);
        while (place > 0) {
            if (!waits_for(lock_of(F_RDLCK, before.l_start, 1))) return false;
            locks_.drop(before.l_start, 1);
            before = lock_of(F_RDLCK, line_, place);
            if (!locks_.is_blocked(before)) break;
        }
        return true;
    }

    // Returns false where it has given up.
    bool waits_for(struct flock wanted) {
        for (;;) {
            const std::int64_t left_ms = wait_ms_ < 0 ? look_ms : until_ms_ - monotonic_ms();
            alarm_.set(std::clamp<std::int64_t>(left_ms, 1, look_ms));
            const bool has_it = fcntl(locks_.fd, F_OFD_SETLKW, &wanted) == 0;
            const int why = errno;
            alarm_.set(0);
            if (has_it) return true;
            errno = why;
            if (why != EINTR) locks_.fail();
            if (left_ms <= 0 || (stop_ && stop_())) return false;
        }
    }

    Locks locks_;
    std::int64_t line_;
    std::int64_t wait_ms_;
    const std::function<bool()>& stop_;
    std::int64_t until_ms_ = monotonic_ms() + wait_ms_;
    Alarm alarm_;
};

}  // namespace

LockFile::LockFile(const std::string& path)
    // Without blocking and without following links: another file in place of ours must not block
    // this process.
    : path_(path),
      fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600)) {
    if (!fd_ && errno != EROFS) throw base::system_error(path);
}

bool LockFile::try_take(LockMode mode, LockRange range) const {
    return !fd_ || Locks{fd_.get(), path_}.is_taken(lock_of(mode, range));
}

bool LockFile::take(LockMode mode, LockRange range, std::int64_t wait_ms,
                    const std::function<bool()>& stop) const {
    if (wait_ms == 0 || !fd_) return try_take(mode, range);
    const Locks locks{fd_.get(), path_};
    struct flock line = lock_of(F_WRLCK, line_of(range), most_places);
    return (!locks.is_blocked(line) && try_take(mode, range)) ||
           Waiter(locks, range, wait_ms, stop).take(lock_of(mode, range));
}

void LockFile::drop(LockRange range) const {
    const struct flock all = lock_of(LockMode::exclusive, range);
    if (fd_) Locks{fd_.get(), path_}.drop(all.l_start, all.l_len);
}

std::optional<Lock> Lock::try_acquire(const std::string& path, Mode mode, Range range) {
    return acquire(path, mode, 0, {}, range);
}

std::optional<Lock> Lock::acquire(const std::string& path, Mode mode, std::int64_t wait_ms,
                                  const std::function<bool()>& stop, Range range) {
    LockFile file(path);
    if (!file.take(mode, range, wait_ms, stop)) return std::nullopt;
    return Lock(std::move(file));
}

}  // namespace chorus::sys
