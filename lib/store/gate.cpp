#include "store/gate.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "base/error.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::store {
namespace {

constexpr std::int64_t longest_wait_ms = 10'000;

struct flock whole_file(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

int open_lock_file(const std::string& path) {
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

// F_OFD_SETLKW knows no time limit without a signal, and signals belong to the program. Who has
// waited longer looks more often, so newcomers rarely overtake; who has waited for a second waits
// for something that is stopped.
void pause_after(std::int64_t waited_ms) {
    const std::int64_t pause_us = waited_ms < 10 ? 500 : waited_ms < 1000 ? 150 : 10'000;
    const timespec duration{0, pause_us * 1000};
    nanosleep(&duration, nullptr);
}

}  // namespace

void Gate::open() {
    fd_ = sys::Fd(open_lock_file(path_));
    if (!fd_ && errno == ENOENT) {
        sys::make_directory(path_.substr(0, path_.rfind('/') + 1));
        fd_ = sys::Fd(open_lock_file(path_));
    }
    if (!fd_) throw base::system_error(path_);
}

bool Gate::try_enter() {
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(fd_.get(), F_OFD_SETLK, &lock) == 0) return true;
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
        throw base::system_error("lock " + path_);
    return false;
}

void Gate::enter() {
    if (!fd_) open();
    if (try_enter()) return;
    const std::int64_t began_ms = sys::monotonic_ms();
    while (!try_enter()) {
        const std::int64_t waited_ms = sys::monotonic_ms() - began_ms;
        if (waited_ms > longest_wait_ms)
            throw base::Error(base::ErrorCode::failed,
                              "database: another process has not let go of " + path_,
                              "'fuser " + path_ + "' names it: it may be stopped");
        pause_after(waited_ms);
    }
}

void Gate::leave() {
    struct flock lock = whole_file(F_UNLCK);
    fcntl(fd_.get(), F_OFD_SETLK, &lock);
}

}  // namespace chorus::store
