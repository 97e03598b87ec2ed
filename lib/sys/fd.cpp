#include "sys/fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/error.hpp"
#include "sys/directory.hpp"

namespace chorus::sys {
namespace {

// Most files that a turn reads are smaller, and resize() clears each byte before it is read into.
constexpr std::size_t first_bytes = 4U << 10;

// Waits for a descriptor that another process made non-blocking (a shared terminal, a pipe of
// node).
bool may_go_on(int fd, short events) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    pollfd wanted{fd, events, 0};
    return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

ssize_t read_some(int fd, char* target, std::size_t size) {
    for (;;) {
        const ssize_t count = read(fd, target, size);
        if (count >= 0 || !may_go_on(fd, POLLIN)) return count;
    }
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        number_ = other.release();
    }
    return *this;
}

void Fd::reset() {
    if (number_ < 0) return;
    const int kept = errno;
    close(release());
    errno = kept;
}

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw base::system_error("pipe");
    return {Fd(ends[0]), Fd(ends[1])};
}

Fd memory_file(std::string_view text) {
    Fd file(memfd_create("chorus", MFD_CLOEXEC));
    if (!file) throw base::system_error("memfd_create");
    write_all(file.get(), text, "a file in memory");
    if (lseek(file.get(), 0, SEEK_SET) != 0) throw base::system_error("lseek");
    return file;
}

std::string proc_path(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

std::string path_of(int fd) {
    return link_target(AT_FDCWD, proc_path(fd));
}

void redirect_to_null(int fd) {
    const Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null || dup2(null.get(), fd) < 0) throw base::system_error("/dev/null");
}

bool try_read_all(int fd, std::size_t most, std::string& bytes) {
    bytes.clear();
    bytes.reserve(first_bytes);
    for (;;) {
        const std::size_t have = bytes.size();
        const std::size_t unused = bytes.capacity() - have;
        // One byte beyond `most` tells a full file from one that is too long.
        const std::size_t room =
            std::min(unused > 0 ? unused : have, most - have + (most != SIZE_MAX));
        bytes.resize(have + room);
        const ssize_t count = read_some(fd, bytes.data() + have, room);
        bytes.resize(have + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count <= 0) return count == 0;
        if (bytes.size() > most) {
            errno = EFBIG;
            return false;
        }
    }
}

bool try_write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(fd, bytes.data(), bytes.size());
        if (count < 0) {
            if (may_go_on(fd, POLLOUT)) continue;
            return false;
        }
        if (count == 0) {
            errno = EIO;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::string read_all(int fd, std::size_t most, std::string_view what) {
    std::string bytes;
    if (try_read_all(fd, most, bytes)) return bytes;
    if (errno != EFBIG) throw base::system_error(what);
    throw base::Error(base::ErrorCode::failed,
                      std::string(what) + ": more than " + std::to_string(most) + " bytes");
}

void write_all(int fd, std::string_view bytes, std::string_view what) {
    if (!try_write_all(fd, bytes)) throw base::system_error(what);
}

std::string read_part(int fd, std::size_t offset, std::size_t size, std::string_view what) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t count =
            pread(fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw base::system_error(what);
        if (count == 0) break;
        have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
    return bytes;
}

bool try_write_until(int fd, std::string_view bytes, const std::function<bool()>& gives_up) {
    constexpr int moment_ms = 100;
    while (!bytes.empty()) {
        pollfd reader{fd, POLLOUT, 0};
        if (poll(&reader, 1, moment_ms) <= 0) {
            if (!gives_up()) continue;
            errno = ETIMEDOUT;
            return false;
        }
        // after POLLOUT a pipe has room for PIPE_BUF bytes, so write() does not block
        const std::string_view part = bytes.substr(0, PIPE_BUF);
        if (!try_write_all(fd, part)) return false;
        bytes.remove_prefix(part.size());
    }
    return true;
}

void copy_rest(int from, int to, std::string_view what) {
    Buffer buffer;
    for (;;) {
        const ssize_t size = read_some(from, buffer.data(), buffer.size());
        if (size < 0) throw base::system_error(what);
        if (size == 0) return;
        write_all(to, {buffer.data(), static_cast<std::size_t>(size)}, what);
    }
}

}  // namespace chorus::sys
