// Preloaded into the processes of a bench: how long they wait for the disk. Appends "ms calls" to
// the file that SYNC_CLOCK names when the process ends.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Sync = int (*)(int);

struct Clock {
    double ms = 0;
    int calls = 0;
    ~Clock() {
        const char* path = getenv("SYNC_CLOCK");
        const int fd = path != nullptr && calls > 0
                           ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                           : -1;
        if (fd < 0) return;
        dprintf(fd, "%.3f %d\n", ms, calls);
        close(fd);
    }
};
Clock clock_of_process;

int timed(const char* name, int fd) {
    const auto real = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, name));
    const auto begin = std::chrono::steady_clock::now();
    const int result = real(fd);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    clock_of_process.ms += took.count();
    ++clock_of_process.calls;
    return result;
}

}  // namespace

extern "C" int fsync(int fd) {
    return timed("fsync", fd);
}
extern "C" int fdatasync(int fd) {
    return timed("fdatasync", fd);
}
extern "C" int syncfs(int fd) noexcept {
    return timed("syncfs", fd);
}
