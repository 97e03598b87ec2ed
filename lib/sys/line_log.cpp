#include "sys/line_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "sys/directory.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t first_look_bytes = 64U << 10;

struct stat file_status(const Fd& fd, const std::string& path) {
    struct stat status {};
    if (fstat(fd.get(), &status) != 0) throw base::system_error(path);
    return status;
}

}  // namespace

LineLog::LineLog(const std::string& path)
    : path_(path),
      fd_(open(c_path(path),
               O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600)) {
    if (!fd_) throw base::system_error(path);
    if (!S_ISREG(file_status(fd_, path).st_mode))
        throw base::Error(base::ErrorCode::failed, path + ": not a regular file");
}

std::string LineLog::read_at(std::size_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t count =
            pread(fd_.get(), bytes.data() + have, size - have, static_cast<off_t>(offset + have));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw base::system_error(path_);
        if (count == 0) break;
        have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
    return bytes;
}

LineLog::Tail LineLog::tail(std::size_t most) const {
    const auto size = static_cast<std::size_t>(file_status(fd_, path_).st_size);
    for (std::size_t taken = std::min(first_look_bytes, size);; taken = std::min(taken * 4, size)) {
        const std::string bytes = read_at(size - taken, taken);
        const std::size_t end = bytes.rfind('\n');
        const std::size_t before =
            end == std::string::npos || end == 0 ? std::string::npos : bytes.rfind('\n', end - 1);
        if (end != std::string::npos && (before != std::string::npos || taken == size))
            return {bytes.substr(before + 1, end - before - 1), bytes.substr(end + 1)};
        if (taken == size || taken > most)
            return {{}, end == std::string::npos ? bytes : bytes.substr(end + 1)};
    }
}

void LineLog::append(std::string_view bytes) {
    if (!try_write_all(fd_.get(), bytes)) throw base::system_error(path_);
}

}  // namespace chorus::sys
