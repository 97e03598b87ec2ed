#include "sys/named_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/signals.hpp"

namespace chorus::sys {
namespace {

std::string in_units(std::size_t bytes) {
    constexpr std::size_t kib = 1U << 10;
    constexpr std::size_t mib = 1U << 20;
    return bytes % mib == 0   ? std::to_string(bytes / mib) + " MiB"
           : bytes % kib == 0 ? std::to_string(bytes / kib) + " KiB"
                              : std::to_string(bytes) + " bytes";
}

[[noreturn]] void refuse(const std::string& name, int why) {
    const base::Error error = base::system_error(name, why);
    if (error.code() == base::ErrorCode::canceled) throw error;
    throw base::Error(
        base::ErrorCode::bad_request, error.message(),
        why == ENOENT || why == ENOTDIR || why == EISDIR ? "name an existing file" : "");
}

}  // namespace

bool can_read(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

std::string input_name(const std::string& path) {
    return path == "-" ? "stdin" : path;
}

InputFile::InputFile(const std::string& path)
    : name_(input_name(path)),
      fd_(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                      : open(c_path(path), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
    if (!fd_) refuse(name_, errno);
}

std::string read_input_file(const std::string& path, std::size_t most) {
    const InputFile file(path);
    std::string text;
    if (try_read_all(file.fd(), most, text)) return text;
    const int why = errno;
    if (why == EFBIG)
        throw base::Error(base::ErrorCode::bad_request,
                          file.name() + ": more than " + in_units(most));
    refuse(file.name(), why);
}

RegularInput::RegularInput(const std::string& path) : name_(input_name(path)), path_(path) {
    const auto status = followed_status(path);
    if (path != "-" && status && S_ISREG(status->st_mode)) return;
    const InputFile file(path);
    const Interrupt& interrupt = Interrupt::install();
    copy_.emplace();
    path_ = copy_->path();
    Buffer buffer;
    for (;;) {
        std::array<pollfd, 2> wanted{pollfd{file.fd(), POLLIN, 0},
                                     pollfd{interrupt.fd(), POLLIN, 0}};
        const int ready = poll(wanted.data(), wanted.size(), -1);
        if (interrupt.requested()) refuse(name_, EINTR);
        const ssize_t size = ready < 0 ? ready : read(file.fd(), buffer.data(), buffer.size());
        if (size == 0) return;
        if (size < 0) refuse(name_, errno);
        write_all(copy_->fd(), {buffer.data(), static_cast<std::size_t>(size)}, path_);
    }
}

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
        const auto number = base::parse_number<int>(name);
        if (number && exists(parent) && real_path(parent) == all) {
            const int flags = fcntl(*number, F_GETFD);
            if (flags < 0 || (flags & FD_CLOEXEC) != 0)
                throw Error(ErrorCode::bad_request, base::system_error(path, EBADF).message());
            return *number;
        }
        const std::string led = link_target(AT_FDCWD, path);
        if (led.empty()) return -1;
        path = led.front() == '/' ? led : join_path(parent, led);
    }
    return -1;
}

bool is_same_file(int fd, const struct stat& other) {
    const auto own = opened_status(fd);
    return own && is_same_inode(*own, other);
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
    const auto named = link_status(path_);
    in_place_ = named && !S_ISREG(named->st_mode);
    const std::string& written = in_place_ ? path_ : parent_of_file(path_);
    if (descriptor_ < 0 && access(written.c_str(), in_place_ ? W_OK : W_OK | X_OK) != 0) {
        const int why = errno;
        throw Error(ErrorCode::bad_request, base::system_error(path_, why).message(),
                    way_out_of(why, path_));
    }
    if (check) check(path_);
    const auto led = named ? followed_status(path_) : std::nullopt;
    if (!led || !S_ISREG(led->st_mode)) return;
    const bool is_open_already =
        descriptor_ >= 0 || (in_place_ && is_same_file(STDOUT_FILENO, *led));
    if (overwrite == Overwrite::refuse && !is_open_already) throw is_there(path_);
}

bool OutputFile::is_regular() const {
    return descriptor_ < 0 && (!in_place_ || is_regular_file(path_));
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
    const auto target = fd ? opened_status(fd) : std::nullopt;
    if (!target) throw base::system_error(path_);
    // a path to stdout's own file is written at stdout's offset, as with a shell's redirection
    const bool is_stdout = is_same_file(STDOUT_FILENO, *target);
    if (S_ISREG(target->st_mode) && !is_stdout && ftruncate(fd.get(), 0) != 0)
        throw base::system_error(path_);
    write(is_stdout ? STDOUT_FILENO : fd.get());
}

namespace {

std::string temporary_directory() {
    std::error_code problem;
    const auto named = std::filesystem::temp_directory_path(problem);
    return problem ? "/tmp" : named.string();
}

}  // namespace

Spool::Spool()
    : path_(temporary_directory() + "/chorus-spool-XXXXXX"),
      fd_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (!fd_) throw base::system_error(path_);
}

Spool::~Spool() {
    unlink(path_.c_str());
}

}  // namespace chorus::sys
