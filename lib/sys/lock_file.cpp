#include "sys/lock_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

// Beyond all ranges each range has a queue, its line: one byte for each place.
constexpr std::int64_t line_start = std::int64_t{1} << 62;
constexpr std::int64_t places = std::int64_t{1} << 32;
constexpr std::int64_t line_count = line_start / places;
constexpr std::int64_t look_ms = 20;  // how often a waiter calls `stop`
constexpr std::size_t stack_bytes = 256U << 10;

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
    return line_start + range.start % line_count * places;
}

// Whether a lock of another description conflicts with `wanted`, which is then set to that lock.
bool is_blocked(int fd, struct flock& wanted, int& problem) {
    if (fcntl(fd, F_OFD_GETLK, &wanted) == 0) return wanted.l_type != F_UNLCK;
    problem = errno;
    return false;
}

bool is_taken(int fd, int command, struct flock wanted, int& problem) {
    int result = -1;
    do result = fcntl(fd, command, &wanted);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EAGAIN && errno != EACCES) problem = errno;
    return result == 0;
}

// A thread that queues for the lock and waits in the kernel. A newcomer queues behind the last one.
// Each waits only for the one before it, so a thread that wakes up late does not lose its place. A
// wait that is interrupted and restarted would go to the end of the kernel's queue; it is therefore
// interrupted, by a signal, only to give up.
class Queuer {
  public:
    Queuer(int fd, LockMode mode, LockRange range) : fd_(fd), mode_(mode), range_(range) {}
    Queuer(const Queuer&) = delete;
    Queuer& operator=(const Queuer&) = delete;
    ~Queuer() { give_up(); }

    // Returns an error number, or 0.
    int start();
    enum class State { waits, has_it, failed };
    State state_after(std::int64_t wait_ms);
    // The thread has ended on return. It may have got the lock at the last moment.
    State give_up();
    int problem() const { return problem_; }

  private:
    static void* run(void* queuer);
    void queue();
    // Returns the place, or nothing where none is left: after billions of waiters without a moment
    // when the queue was empty.
    std::optional<std::int64_t> join();
    bool await_those_before(std::int64_t place);
    bool is_waited_for(struct flock wanted);

    int fd_;
    LockMode mode_;
    LockRange range_;
    std::int64_t line_ = line_of(range_);
    pthread_t thread_{};
    bool started_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::waits;
    std::atomic<bool> given_up_{false};
    int problem_ = 0;
};

int break_off_signal() {
    return SIGRTMIN;
}

void* Queuer::run(void* queuer) {
    static_cast<Queuer*>(queuer)->queue();
    return nullptr;
}

bool Queuer::is_waited_for(struct flock wanted) {
    int result = -1;
    do result = fcntl(fd_, F_OFD_SETLKW, &wanted);
    while (result != 0 && errno == EINTR && !given_up_);
    if (result != 0 && errno != EINTR) problem_ = errno;
    return result == 0;
}

std::optional<std::int64_t> Queuer::join() {
    std::int64_t place = 0;
    while (place < places && problem_ == 0 && !given_up_) {
        struct flock behind = lock_of(F_WRLCK, line_ + place, places - place);
        const bool is_held = is_blocked(fd_, behind, problem_);
        // a lock of the whole file, as other programs take it: there is no queue then
        if (is_held && behind.l_len == 0) return std::nullopt;
        if (is_held)
            place = behind.l_start + behind.l_len - line_;
        else if (is_taken(fd_, F_OFD_SETLK, lock_of(F_WRLCK, line_ + place, 1), problem_))
            return place;
    }
    return std::nullopt;
}

// Where a waiter gave up or was killed, the one behind it waits for those before it.
bool Queuer::await_those_before(std::int64_t place) {
    struct flock before = lock_of(F_RDLCK, line_ + place - 1, 1);
    while (place > 0) {
        if (!is_waited_for(lock_of(F_RDLCK, before.l_start, 1))) return false;
        is_taken(fd_, F_OFD_SETLK, lock_of(F_UNLCK, before.l_start, 1), problem_);
        before = lock_of(F_RDLCK, line_, place);
        if (!is_blocked(fd_, before, problem_)) break;
    }
    return problem_ == 0;
}

void Queuer::queue() {
    const auto place = join();
    const bool is_first = problem_ == 0 && (!place || await_those_before(*place));
    const bool has_it = is_first && is_waited_for(lock_of(mode_, range_));
    is_taken(fd_, F_OFD_SETLK, lock_of(F_UNLCK, line_, places), problem_);
    const std::lock_guard guard(mutex_);
    state_ = has_it ? State::has_it : State::failed;
    changed_.notify_all();
}

// Other signals are left to the thread that calls `stop`.
int Queuer::start() {
    struct sigaction broken_off {};
    broken_off.sa_handler = [](int) {};
    sigaction(break_off_signal(), &broken_off, nullptr);
    sigset_t others;
    sigset_t before;
    sigfillset(&others);
    sigdelset(&others, break_off_signal());
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    const int result = pthread_create(&thread_, &attributes, run, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    started_ = result == 0;
    return result;
}

Queuer::State Queuer::state_after(std::int64_t wait_ms) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, std::chrono::milliseconds(wait_ms),
                      [this] { return state_ != State::waits; });
    return state_;
}

// A signal that arrives before the thread waits interrupts nothing, so it is sent until the thread
// has finished.
Queuer::State Queuer::give_up() {
    given_up_ = true;
    if (!started_) return state_;
    while (state_after(0) == State::waits) {
        pthread_kill(thread_, break_off_signal());
        state_after(1);
    }
    pthread_join(thread_, nullptr);
    started_ = false;
    return state_;
}

}  // namespace

LockFile::LockFile(const std::string& path)
    // Without blocking and without following links: another file in place of ours must not block
    // this process.
    : path_(path),
      fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600)) {
    if (!fd_ && errno != EROFS) throw base::system_error(path);
}

bool LockFile::try_take(LockMode mode, LockRange range) {
    if (!fd_) return true;
    int problem = 0;
    const bool taken = is_taken(fd_.get(), F_OFD_SETLK, lock_of(mode, range), problem);
    if (problem != 0) throw base::system_error("lock " + path_, problem);
    return taken;
}

bool LockFile::is_waited_for(LockRange range) const {
    struct flock line = lock_of(F_WRLCK, line_of(range), places);
    int problem = 0;
    return is_blocked(fd_.get(), line, problem);
}

bool LockFile::take(LockMode mode, LockRange range, std::int64_t wait_ms,
                    const std::function<bool()>& stop) {
    if (wait_ms == 0 || !fd_) return try_take(mode, range);
    if (!is_waited_for(range) && try_take(mode, range)) return true;
    const std::int64_t began_ms = monotonic_ms();
    Queuer queuer(fd_.get(), mode, range);
    if (const int problem = queuer.start(); problem != 0)
        throw base::system_error("lock " + path_, problem);
    for (;;) {
        const std::int64_t left_ms = wait_ms < 0 ? look_ms : began_ms + wait_ms - monotonic_ms();
        const auto state = queuer.state_after(std::clamp<std::int64_t>(left_ms, 0, look_ms));
        if (state != Queuer::State::waits || left_ms <= 0 || (stop && stop())) break;
    }
    const bool has_it = queuer.give_up() == Queuer::State::has_it;
    if (!has_it && queuer.problem() != 0)
        throw base::system_error("lock " + path_, queuer.problem());
    return has_it;
}

void LockFile::drop(LockRange range) {
    if (!fd_) return;
    int problem = 0;
    struct flock all = lock_of(LockMode::exclusive, range);
    all.l_type = F_UNLCK;
    is_taken(fd_.get(), F_OFD_SETLK, all, problem);
}

}  // namespace chorus::sys
