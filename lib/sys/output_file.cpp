#include "sys/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/bounded_write.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/spool.hpp"

namespace chorus::sys {
namespace {

using base::Error;
using base::ErrorCode;

Error is_there(const std::string& path) {
    return {ErrorCode::exists, base::quoted(path) + ": already exists", "--force replaces it"};
}

std::string parent_of_file(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string way_out_of(int error_number, const std::string& path) {
    const std::string parent = parent_of_file(path);
    if (error_number == ENOENT && !exists(parent))
        return "mkdir -p " + base::shell_quoted(parent) + " makes the directory";
    if (error_number == ENOENT)
        return "the symbolic link is dangling: remove it, or name another file";
    if (error_number == EACCES || error_number == EPERM || error_number == EROFS)
        return "name a file in a directory that uid " + std::to_string(geteuid()) + " may write";
    return "name another file";
}

// Returns N for a path that leads to /proc/self/fd/N, as /dev/stdout and /dev/fd/N do; -1 for any
// other path. Descriptors that this program opened are close-on-exec and are refused.
int named_descriptor(std::string path) {
    if (path == "-") return STDOUT_FILENO;
    const std::string all = "/proc/" + std::to_string(getpid()) + "/fd";
    constexpr int most_links = 8;
    for (int links = 0; links < most_links; ++links) {
        const std::string parent = parent_of_file(path);
        const std::string name = path.substr(path.rfind('/') + 1);
        int number = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error == std::errc{} && end == name.data() + name.size() && exists(parent) &&
            real_path(parent) == all) {
            const int flags = fcntl(number, F_GETFD);
            if (flags < 0 || (flags & FD_CLOEXEC) != 0)
                throw Error(ErrorCode::bad_request, base::system_error(path, EBADF).message());
            return number;
        }
        std::array<char, 4096> target{};
        const ssize_t size = readlink(path.c_str(), target.data(), target.size());
        if (size <= 0) return -1;
        const std::string led(target.data(), static_cast<std::size_t>(size));
        path = led.front() == '/' ? led : join_path(parent, led);
    }
    return -1;
}

bool is_same_file(int fd, const struct stat& other) {
    struct stat own {};
    return fstat(fd, &own) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

void copy(int from, int to, const std::string& path) {
    if (lseek(from, 0, SEEK_SET) != 0) throw base::system_error(path);
    copy_rest(from, to, path);
}

}  // namespace

OutputFile::OutputFile(std::string path, Overwrite overwrite, const Check& check)
    : path_(std::move(path)), overwrite_(overwrite), descriptor_(named_descriptor(path_)) {
    if (descriptor_ == STDOUT_FILENO) return;
    if (is_directory(path_))
        throw Error(ErrorCode::bad_request, base::quoted(path_) + ": it is a directory, not a file",
                    "name a file in it, such as " + base::shell_quoted(join_path(path_, "output")));
    struct stat named {};
    struct stat led {};
    const bool is_new = lstat(path_.c_str(), &named) != 0;
    in_place_ = !is_new && !S_ISREG(named.st_mode);
    const std::string& written = in_place_ ? path_ : parent_of_file(path_);
    if (descriptor_ < 0 && access(written.c_str(), in_place_ ? W_OK : W_OK | X_OK) != 0) {
        const int why = errno;
        throw Error(ErrorCode::bad_request, base::system_error(path_, why).message(),
                    way_out_of(why, path_));
    }
    if (check) check(path_);
    if (is_new || stat(path_.c_str(), &led) != 0 || !S_ISREG(led.st_mode)) return;
    const bool is_open_already =
        descriptor_ >= 0 || (in_place_ && is_same_file(STDOUT_FILENO, led));
    if (overwrite == Overwrite::refuse && !is_open_already) throw is_there(path_);
}

void OutputFile::write(std::string_view content, const std::function<bool()>& gives_up) const {
    if (descriptor_ < 0 && in_place_ && !is_regular_file(path_))
        write_stream(content, gives_up);
    else
        stream([&](int fd) { write_all(fd, content, path_); });
}

void OutputFile::write_stream(std::string_view content,
                              const std::function<bool()>& gives_up) const {
    constexpr int moment_ms = 100;
    Fd fd;
    while (!(fd = Fd(open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)))) {
        if (errno != ENXIO) throw base::system_error(path_);
        if (gives_up()) throw base::system_error(path_, EINTR);
        poll(nullptr, 0, moment_ms);
    }
    if (try_write_until(fd.get(), content, gives_up)) return;
    throw base::system_error(path_, errno == ETIMEDOUT ? EINTR : errno);
}

void OutputFile::stream(const std::function<void(int fd)>& write) const {
    if (is_in_place())
        write_in_place(write);
    else
        put([&](const std::string&, int fd) { write(fd); });
}

void OutputFile::fill(const std::function<void(const std::string& file, int fd)>& fill) const {
    if (!is_in_place()) return put(fill);
    const Spool spool;
    fill(spool.path(), spool.fd());
    write_in_place([&](int fd) { copy(spool.fd(), fd, path_); });
}

void OutputFile::put(const std::function<void(const std::string& file, int fd)>& fill) const {
    if (!fill_file(path_, overwrite_ == Overwrite::allow, fill)) throw is_there(path_);
}

void OutputFile::write_in_place(const std::function<void(int fd)>& write) const {
    if (descriptor_ >= 0) return write(descriptor_);
    const Fd fd(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    struct stat target {};
    if (!fd || fstat(fd.get(), &target) != 0) throw base::system_error(path_);
    // a path to stdout's own file is written at stdout's offset, as with a shell's redirection
    const bool is_stdout = is_same_file(STDOUT_FILENO, target);
    if (S_ISREG(target.st_mode) && !is_stdout && ftruncate(fd.get(), 0) != 0)
        throw base::system_error(path_);
    write(is_stdout ? STDOUT_FILENO : fd.get());
}

}  // namespace chorus::sys
