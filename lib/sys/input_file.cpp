#include "sys/input_file.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {
namespace {

std::string in_units(std::size_t bytes) {
    constexpr std::size_t kib = 1U << 10;
    constexpr std::size_t mib = 1U << 20;
    return bytes % mib == 0   ? std::to_string(bytes / mib) + " MiB"
           : bytes % kib == 0 ? std::to_string(bytes / kib) + " KiB"
                              : std::to_string(bytes) + " bytes";
}

}  // namespace

std::string read_input_file(const std::string& path, std::size_t most) {
    const Fd fd(open(c_path(path), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    std::string text;
    if (fd && try_read_all(fd.get(), most, text)) return text;
    const int why = errno;
    if (why == EINTR) throw base::Error(base::ErrorCode::canceled, path + ": interrupted");
    throw base::Error(
        base::ErrorCode::bad_request,
        why == EFBIG ? path + ": more than " + in_units(most)
                     : base::system_error(path, why).message(),
        why == ENOENT || why == ENOTDIR || why == EISDIR ? "name a file that is there" : "");
}

}  // namespace chorus::sys
