#include "sys/lock_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

// Where no range reaches: a byte for who is next and one that all who wait share, so that who comes
// sees them even while the next one is just being woken.
constexpr std::int64_t line_start = std::int64_t{1} << 62;
constexpr std::int64_t look_ms = 20;  // how often a waiting one asks whether to stop
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

struct flock next_of(LockRange range) {
    return lock_of(F_WRLCK, line_start + 2 * range.start, 1);
}
struct flock crowd_of(LockRange range, short type) {
    return lock_of(type, line_start + 2 * range.start + 1, 1);
}
struct flock both_of(LockRange range) {
    return lock_of(F_UNLCK, line_start + 2 * range.start, 2);
}

bool is_taken(int fd, int command, struct flock wanted, int& problem) {
    int result = -1;
    do result = fcntl(fd, command, &wanted);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EAGAIN && errno != EACCES) problem = errno;
    return result == 0;
}

// A thread waits in the kernel, which serves in order and wakes one at a time. It cannot be called
// back: who gives up leaves it behind, and closes the file; what it still gets goes with its own
// descriptor, the last one of the description.
class Queuer {
  public:
    Queuer(int fd, LockMode mode, LockRange range)
        : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)), mode_(mode), range_(range) {}

    // The error's number, or 0.
    static int start(const std::shared_ptr<Queuer>& queuer);
    enum class State { waits, has_it, failed };
    State state_after(std::int64_t wait_ms);
    void give_up();
    int problem() const { return problem_; }

  private:
    static void* run(void* argument);
    void queue();
    bool is_given_up();

    Fd fd_;
    LockMode mode_;
    LockRange range_;
    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::waits;
    bool given_up_ = false;
    int problem_ = 0;
};

void* Queuer::run(void* argument) {
    const std::unique_ptr<std::shared_ptr<Queuer>> own(
        static_cast<std::shared_ptr<Queuer>*>(argument));
    (*own)->queue();
    return nullptr;
}

bool Queuer::is_given_up() {
    const std::lock_guard guard(mutex_);
    return given_up_;
}

void Queuer::queue() {
    int problem = 0;
    const bool is_next = is_taken(fd_.get(), F_OFD_SETLK, crowd_of(range_, F_RDLCK), problem) &&
                         is_taken(fd_.get(), F_OFD_SETLKW, next_of(range_), problem);
    const bool has_it = is_next && !is_given_up() &&
                        is_taken(fd_.get(), F_OFD_SETLKW, lock_of(mode_, range_), problem);
    is_taken(fd_.get(), F_OFD_SETLK, both_of(range_), problem);
    const std::lock_guard guard(mutex_);
    fd_.reset();
    state_ = has_it ? State::has_it : State::failed;
    problem_ = problem;
    changed_.notify_all();
}

// Signals are for the thread that looks whether to stop.
int Queuer::start(const std::shared_ptr<Queuer>& queuer) {
    if (!queuer->fd_) return errno;
    auto own = std::make_unique<std::shared_ptr<Queuer>>(queuer);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread{};
    const int result = pthread_create(&thread, &attributes, run, own.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (result == 0) (void)own.release();
    return result;
}

Queuer::State Queuer::state_after(std::int64_t wait_ms) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, std::chrono::milliseconds(wait_ms),
                      [this] { return state_ != State::waits; });
    return state_;
}

void Queuer::give_up() {
    const std::lock_guard guard(mutex_);
    given_up_ = true;
}

}  // namespace

LockFile::LockFile(const std::string& path)
    // Not blocking, and no following: whatever stands there in place of our file must not hold us
    // up.
    : path_(path),
      fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600)) {
    if (!fd_) throw base::system_error(path);
}

bool LockFile::try_take(LockMode mode, LockRange range) {
    int problem = 0;
    const bool taken = is_taken(fd_.get(), F_OFD_SETLK, lock_of(mode, range), problem);
    if (problem != 0) throw base::system_error("lock " + path_, problem);
    return taken;
}

bool LockFile::is_waited_for(LockRange range) const {
    struct flock crowd = crowd_of(range, F_WRLCK);
    return fcntl(fd_.get(), F_OFD_GETLK, &crowd) == 0 && crowd.l_type != F_UNLCK;
}

bool LockFile::take(LockMode mode, LockRange range, std::int64_t wait_ms,
                    const std::function<bool()>& stop) {
    if (wait_ms == 0) return try_take(mode, range);
    if (!is_waited_for(range) && try_take(mode, range)) return true;
    const std::int64_t began_ms = monotonic_ms();
    const auto queuer = std::make_shared<Queuer>(fd_.get(), mode, range);
    int problem = Queuer::start(queuer);
    while (problem == 0) {
        const std::int64_t left_ms = wait_ms < 0 ? look_ms : began_ms + wait_ms - monotonic_ms();
        const auto state = queuer->state_after(std::clamp<std::int64_t>(left_ms, 0, look_ms));
        if (state == Queuer::State::has_it) return true;
        problem = queuer->problem();
        if (left_ms <= 0 || (stop && stop())) break;
    }
    queuer->give_up();
    close();
    if (problem != 0) throw base::system_error("lock " + path_, problem);
    return false;
}

void LockFile::drop(LockRange range) {
    int problem = 0;
    struct flock all = lock_of(LockMode::exclusive, range);
    all.l_type = F_UNLCK;
    is_taken(fd_.get(), F_OFD_SETLK, all, problem);
}

}  // namespace chorus::sys
