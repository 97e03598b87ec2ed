#include "repo/silence.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <string>

#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

std::set<int> open_sockets() {
    std::set<int> sockets;
    for (const std::string& name : sys::list_directory("/proc/self/fd")) {
        int fd = -1;
        std::from_chars(name.data(), name.data() + name.size(), fd);
        struct stat status {};
        if (fd >= 0 && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) sockets.insert(fd);
    }
    return sockets;
}

}  // namespace

Silence::Silence(std::int64_t most_ms)
    : most_ms_(most_ms),
      older_(open_sockets()),
      last_ms_(sys::monotonic_ms()),
      watcher_([this] { watch(); }) {}

Silence::~Silence() {
    {
        const std::lock_guard guard(mutex_);
        over_ = true;
    }
    end_.notify_one();
    watcher_.join();
}

void Silence::heard() {
    last_ms_ = sys::monotonic_ms();
}

void Silence::watch() {
    std::unique_lock lock(mutex_);
    while (!over_) {
        const std::int64_t left_ms = last_ms_ + most_ms_ - sys::monotonic_ms();
        if (left_ms > 0) {
            end_.wait_for(lock, std::chrono::milliseconds(left_ms));
            continue;
        }
        too_long_ = true;
        for (const int fd : open_sockets())
            if (older_.count(fd) == 0) shutdown(fd, SHUT_RDWR);
        // it may try another address
        last_ms_ = sys::monotonic_ms();
    }
}

}  // namespace chorus::repo
