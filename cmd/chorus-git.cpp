// Does the git work of another program of Chorus, where chorus-sandbox(8), mode git, has confined
// it: see the section GIT there.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "repo/server.hpp"
#include "sys/fd.hpp"

namespace {

// libgit2 repeats a read that says EAGAIN for ever: it gets no FIFO and no terminal.
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

// libgit2 calls these. Landlock does not govern changing what a path leads to, the system call
// filter refuses it: only what could be opened is changed.
extern "C" {

int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    // as git asks for it: the umask alone takes from the group and others
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
}

namespace {

// libgit2 needs that much, whatever the limit of the stack is.
constexpr std::size_t stack_bytes = 8U << 20;

void* serve(void*) {
    chorus::repo::serve();
    _exit(0);
}

// In the middle of a call too.
void end_with_the_caller() {
    pollfd caller{chorus::repo::server_socket, 0, 0};
    while (poll(&caller, 1, -1) < 0 && errno == EINTR) continue;
    _exit(0);
}

}  // namespace

int main() {
    // what is too large for a limit is an error of write(2)
    signal(SIGXFSZ, SIG_IGN);
    pthread_attr_t attributes;
    pthread_t thread{};
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, stack_bytes) != 0 ||
        pthread_create(&thread, &attributes, serve, nullptr) != 0)
        return 1;
    end_with_the_caller();
}
