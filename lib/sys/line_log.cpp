#include "sys/line_log.hpp"

#include <fcntl.h>

#include <algorithm>

#include "base/error.hpp"
#include "sys/directory.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t first_look_bytes = 64U << 10;

}  // namespace

LineLog::LineLog(const std::string& path)
    : path_(path),
      fd_(open(c_path(path),
               O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
               0600)) {
    require_regular(fd_, path);
}

LineLog::Tail LineLog::tail(std::size_t most) const {
    const auto size = static_cast<std::size_t>(require_regular(fd_, path_).st_size);
    for (std::size_t taken = std::min(first_look_bytes, size);; taken = std::min(taken * 4, size)) {
        const std::string bytes = read_part(fd_.get(), size - taken, taken, path_);
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
