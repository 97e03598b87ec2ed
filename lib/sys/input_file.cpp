#include "sys/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "sys/directory.hpp"
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

bool is_readable_file(const std::string& path) {
    struct stat status {};
    return stat(c_path(path), &status) == 0 && S_ISREG(status.st_mode);
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
    if (path != "-" && is_readable_file(path)) return;
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

}  // namespace chorus::sys
