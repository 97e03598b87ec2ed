#include "net/quiet_pipe.hpp"

#include <pthread.h>

#include <ctime>

namespace chorus::net {
namespace {

sigset_t only_pipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

bool is_pending() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

QuietPipe::QuietPipe() : was_pending_(is_pending()) {
    const sigset_t set = only_pipe();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
}

QuietPipe::~QuietPipe() {
    if (!was_pending_ && is_pending()) {
        const sigset_t set = only_pipe();
        const timespec at_once{};
        sigtimedwait(&set, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace chorus::net
