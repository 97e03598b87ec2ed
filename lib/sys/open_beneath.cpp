#include "sys/open_beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "sys/directory.hpp"

namespace chorus::sys {
namespace {

// EAGAIN means that a rename or mount anywhere raced with a "..": openat2(2) leaves the retry to
// the caller.
constexpr int most_tries = 128;

Fd openat2_once(int directory, const char* path, int flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
    how.resolve = resolve;
    return Fd(static_cast<int>(syscall(SYS_openat2, directory, path, &how, sizeof how)));
}

Fd openat2_retrying(int directory, const std::string& path, int flags, std::uint64_t resolve) {
    Fd fd;
    for (int tries = 0; tries < most_tries && !fd; ++tries) {
        fd = openat2_once(directory, path.c_str(), flags, resolve);
        if (!fd && errno != EAGAIN && errno != EINTR) break;
    }
    return fd;
}

// Older container runtimes return EPERM for a system call they do not know.
bool openat2_works() {
    static const bool works = [] {
        const Fd fd = openat2_once(AT_FDCWD, "/", O_PATH, 0);
        return fd || (errno != ENOSYS && errno != EPERM);
    }();
    return works;
}

bool is_link(int directory, const std::string& name) {
    const auto status = link_status(directory, name);
    return status && S_ISLNK(status->st_mode);
}

Fd open_component(int directory, const std::string& name, int flags) {
    if (name == "..") {
        errno = EXDEV;
        return Fd();
    }
    Fd fd(openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    // With O_DIRECTORY a link is reported as "not a directory".
    if (!fd && errno == ENOTDIR) errno = is_link(directory, name) ? ELOOP : ENOTDIR;
    return fd;
}

// A bind mount has the device number of what it shows, so the device number does not tell mounts
// apart.
std::string mount_line(int fd) {
    const std::string path = "/proc/self/fdinfo/" + std::to_string(fd);
    const Fd info(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    if (!info || !try_read_all(info.get(), 64U << 10, text)) return {};
    for (const std::string_view line : base::split_lines(text))
        if (line.starts_with("mnt_id:")) return std::string(line);
    return {};
}

bool is_same_mount(int one, int other) {
    const auto first = opened_status(one);
    const auto second = opened_status(other);
    return first && second && first->st_dev == second->st_dev &&
           mount_line(one) == mount_line(other);
}

}  // namespace

Fd open_beneath(int directory, const std::string& path, int flags, Links links) {
    if (!openat2_works()) return open_by_walking(directory, path, flags);
    std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    if (links == Links::none) resolve |= RESOLVE_NO_SYMLINKS;
    return openat2_retrying(directory, path, flags, resolve);
}

Fd open_by_walking(int directory, const std::string& path, int flags) {
    if (path.starts_with('/')) {
        errno = EXDEV;
        return Fd();
    }
    const auto names = base::split(path, '/');
    Fd below;
    int at = directory;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        if (names[i].empty() || names[i] == ".") continue;
        below = open_component(at, std::string(names[i]), O_PATH | O_DIRECTORY);
        if (!below) return Fd();
        at = below.get();
    }
    return open_component(at, names.back().empty() ? "." : std::string(names.back()), flags);
}

Fd open_real(const std::string& path, int flags) {
    if (openat2_works())
        return openat2_retrying(AT_FDCWD, path, flags, RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
    const Fd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return open_by_walking(root.get(), path == "/" ? "." : path.substr(1), flags);
}

base::Error not_opened_real(const std::string& path) {
    if (errno != ELOOP) return base::system_error(path);
    return {base::ErrorCode::failed, path + ": it or a directory above it is a symbolic link now"};
}

Fd open_on_same_filesystem(int directory, const std::string& name, int flags) {
    if (openat2_works())
        return openat2_retrying(directory, name, flags,
                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    Fd fd = open_component(directory, name, flags);
    if (fd && is_same_mount(directory, fd.get())) return fd;
    if (fd) errno = EXDEV;
    return Fd();
}

}  // namespace chorus::sys
