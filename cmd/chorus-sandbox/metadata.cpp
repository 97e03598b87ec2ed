// Changes mode, owner, times and length of files for a fenced command, because not every version of
// Landlock governs these. The command's calls arrive here (seccomp_unotify(2)) and are performed on
// files beneath its writable places. The file is opened before its path is checked, so that it
// cannot be exchanged in between.
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

enum class Kind { mode, owner, length, nanoseconds, microseconds, seconds };

// Argument numbers of a call; -1: it has no such argument.
struct Call {
    int number;
    Kind kind;
    int value;           // the first of the values to set
    int path = 0;        // -1: the call changes a descriptor
    int directory = -1;  // or descriptor
    int flags = -1;
    int always = 0;  // flags that the call implies
};
constexpr std::array calls{Call{SYS_truncate, Kind::length, 1},
#ifdef SYS_chmod  // newer architectures have only the *at calls
                           Call{SYS_chmod, Kind::mode, 1},
                           Call{SYS_chown, Kind::owner, 1},
                           Call{SYS_lchown, Kind::owner, 1, 0, -1, -1, AT_SYMLINK_NOFOLLOW},
                           Call{SYS_utime, Kind::seconds, 1},
                           Call{SYS_utimes, Kind::microseconds, 1},
                           Call{SYS_futimesat, Kind::microseconds, 2, 1, 0},
#endif
                           Call{SYS_fchmod, Kind::mode, 1, -1, 0},
                           Call{SYS_fchmodat, Kind::mode, 2, 1, 0},
                           Call{fchmodat2, Kind::mode, 2, 1, 0, 3},
                           Call{SYS_fchown, Kind::owner, 1, -1, 0},
                           Call{SYS_fchownat, Kind::owner, 2, 1, 0, 4},
                           Call{SYS_utimensat, Kind::nanoseconds, 2, 1, 0, 3}};

// Owns a descriptor.
class Open {
  public:
    explicit Open(int fd) : fd_(fd) {}
    ~Open() {
        if (fd_ >= 0) close(fd_);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    int get() const { return fd_; }

  private:
    int fd_;
};

// One call of one thread. Error numbers are negative, as the kernel returns them.
class Request {
  public:
    Request(const seccomp_notif& asked, const std::vector<std::string>& places)
        : asked_(asked), places_(places), process_("/proc/" + std::to_string(asked.pid)) {}

    int serve() const {
        for (const Call& call : calls)
            if (call.number == asked_.data.nr) return serve(call);
        return -ENOSYS;
    }

  private:
    std::uint64_t argument(int number) const {
        return asked_.data.args[static_cast<std::size_t>(number)];
    }

    // Returns false if the memory is not mapped.
    bool read_memory(std::uint64_t address, void* to, std::size_t size) const {
        const iovec own{to, size};
        const iovec others{reinterpret_cast<void*>(address), size};  // NOLINT: of its process
        return process_vm_readv(static_cast<pid_t>(asked_.pid), &own, 1, &others, 1, 0) ==
               static_cast<ssize_t>(size);
    }

    // Reads up to the end of a page at a time: the next page may not be mapped.
    int read_path(std::uint64_t address, std::string& path) const {
        constexpr std::size_t page = 4096;
        std::array<char, page> text{};
        while (path.size() < PATH_MAX) {
            const std::size_t size = page - address % page;
            if (!read_memory(address, text.data(), size)) return -EFAULT;
            const std::size_t length = strnlen(text.data(), size);
            path.append(text.data(), length);
            if (length < size) return 0;
            address += size;
        }
        return -ENAMETOOLONG;
    }

    // Puts the caller in the place of "self", which would be this process.
    std::string as_seen_there(const std::string& path) const {
        for (const std::string own : {"/proc/self/", "/proc/thread-self/"})
            if (path.starts_with(own)) return process_ + "/" + path.substr(own.size());
        if (path.starts_with("/dev/fd/")) return process_ + path.substr(std::strlen("/dev"));
        return path;
    }

    int open_base(const Call& call) const {
        const int directory =
            call.directory < 0 ? AT_FDCWD : static_cast<int>(argument(call.directory));
        const std::string base =
            process_ + (directory == AT_FDCWD ? "/cwd" : "/fd/" + std::to_string(directory));
        const int fd = open(base.c_str(), O_PATH | O_CLOEXEC);
        return fd < 0 ? (errno == ENOENT && directory != AT_FDCWD ? -EBADF : -errno) : fd;
    }

    int serve(const Call& call) const {
        const int flags =
            call.always | (call.flags < 0 ? 0 : static_cast<int>(argument(call.flags)));
        if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0) return -EINVAL;
        const Open base(open_base(call));
        if (base.get() < 0) return base.get();
        std::string path;
        const bool is_of_descriptor =
            call.path < 0 || (call.kind == Kind::nanoseconds && argument(call.path) == 0);
        if (!is_of_descriptor)
            if (const int problem = read_path(argument(call.path), path); problem != 0)
                return problem;
        if (is_of_descriptor || (path.empty() && (flags & AT_EMPTY_PATH) != 0))
            return change(call, base.get());
        const int follow = (flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0;
        const Open file(
            openat(base.get(), as_seen_there(path).c_str(), O_PATH | O_CLOEXEC | follow));
        return file.get() < 0 ? -errno : change(call, file.get());
    }

    bool is_writable(int fd) const {
        const std::string path = target_of(name_of(fd).c_str());
        return std::any_of(places_.begin(), places_.end(),
                           [&](const std::string& place) { return is_beneath(path, place); });
    }

    int change(const Call& call, int fd) const {
        if (!is_writable(fd)) return -EPERM;
        if (call.kind == Kind::owner) return keep_owner(call, fd);
        if (call.kind == Kind::mode) {
            const auto mode = static_cast<mode_t>(argument(call.value));
            return chmod(name_of(fd).c_str(), mode) == 0 ? 0 : -errno;
        }
        if (call.kind == Kind::length) {
            const auto length = static_cast<off_t>(argument(call.value));
            // not truncate(2), which blocks while another process has a lease
            const Open file(open(name_of(fd).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
            return file.get() >= 0 && ftruncate(file.get(), length) == 0 ? 0 : -errno;
        }
        std::array<timespec, 2> times{};
        const std::uint64_t address = argument(call.value);
        if (address != 0 && !read_times(call.kind, address, times)) return -EFAULT;
        return utimensat(fd, "", address == 0 ? nullptr : times.data(), AT_EMPTY_PATH) == 0
                   ? 0
                   : -errno;
    }

    // Without capabilities the owner of a file cannot be changed; setting the same one succeeds.
    int keep_owner(const Call& call, int fd) const {
        struct stat status {};
        if (fstat(fd, &status) != 0) return -errno;
        const auto user = static_cast<uid_t>(argument(call.value));
        const auto group = static_cast<gid_t>(argument(call.value + 1));
        const bool is_same = (user == static_cast<uid_t>(-1) || user == status.st_uid) &&
                             (group == static_cast<gid_t>(-1) || group == status.st_gid);
        return is_same ? 0 : -EPERM;
    }

    bool read_times(Kind kind, std::uint64_t address, std::array<timespec, 2>& times) const {
        if (kind == Kind::nanoseconds) return read_memory(address, times.data(), sizeof times);
        if (kind == Kind::seconds) {
            utimbuf both{};
            if (!read_memory(address, &both, sizeof both)) return false;
            times = {{{both.actime, 0}, {both.modtime, 0}}};
            return true;
        }
        std::array<timeval, 2> both{};
        if (!read_memory(address, both.data(), sizeof both)) return false;
        for (std::size_t i = 0; i < both.size(); ++i)
            times[i] = {both[i].tv_sec, both[i].tv_usec * 1000};
        return true;
    }

    const seccomp_notif& asked_;
    const std::vector<std::string>& places_;
    std::string process_;
};

}  // namespace

void serve_metadata(int listener, const std::vector<std::string>& places) {
    seccomp_notif asked{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;  // the caller was killed
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.error = Request(asked, places).serve();
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

}  // namespace chorus::sandbox
