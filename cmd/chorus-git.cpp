// Runs the git operations of another Chorus program, confined by chorus-sandbox(8) in mode git (see
// the section GIT there).
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "repo/server.hpp"
#include "sys/fd.hpp"

namespace {

// libgit2 retries a read that fails with EAGAIN for ever, so it gets no FIFO and no terminal.
bool can_be_read_to_its_end(int file) {
    struct stat status {};
    return fstat(file, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

int refused(int file) {
    close(file);
    errno = ENXIO;
    return -1;
}

}  // namespace

// Replace the functions of the C library for libgit2. Landlock does not govern changing the mode or
// times of a path, and the system call filter refuses it, so these change only a file that they
// could open.
extern "C" {

int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    // like git, ask for write access for group and others too; the umask removes it
    if ((mode & S_IWUSR) != 0) mode |= (mode & (S_IRGRP | S_IROTH)) >> 1;
    const int file = openat(AT_FDCWD, path, flags | O_NONBLOCK, mode);
    return file < 0 || can_be_read_to_its_end(file) ? file : refused(file);
}

int chmod(const char* path, mode_t mode) noexcept {
    const chorus::sys::Fd file(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    return file ? fchmod(file.get(), mode) : -1;
}

int utimes(const char* path, const timeval* times) noexcept {
    const chorus::sys::Fd file(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    return file ? futimes(file.get(), times) : -1;
}

// libgit2 writes objects and references to the disk before it renames them, but not the index, the
// configuration, MERGE_HEAD and the like, which a power cut would leave full of zeros.
int rename(const char* from, const char* to) noexcept {
    const chorus::sys::Fd file(open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file || fsync(file.get()) != 0) return -1;
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
}

namespace {

// libgit2 needs this much, whatever the stack limit (RLIMIT_STACK) is.
constexpr std::size_t stack_bytes = 8U << 20;

void* serve(void*) {
    chorus::repo::serve();
    _exit(0);
}

// Exits when the caller closes its socket, even in the middle of a call.
void end_with_the_caller() {
    pollfd caller{chorus::repo::server_socket, 0, 0};
    while (poll(&caller, 1, -1) < 0 && errno == EINTR) continue;
    _exit(0);
}

}  // namespace

int main() {
    // a file larger than RLIMIT_FSIZE is then an error of write(2)
    signal(SIGXFSZ, SIG_IGN);
    pthread_attr_t attributes;
    pthread_t thread{};
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, stack_bytes) != 0 ||
        pthread_create(&thread, &attributes, serve, nullptr) != 0)
        return 1;
    end_with_the_caller();
}
