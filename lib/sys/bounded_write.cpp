#include "sys/bounded_write.hpp"

#include <poll.h>

#include <cerrno>
#include <climits>

#include "sys/fd.hpp"

namespace chorus::sys {

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

}  // namespace chorus::sys
