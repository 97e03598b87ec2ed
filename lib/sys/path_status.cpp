#include "sys/path_status.hpp"

#include <fcntl.h>

#include <cstdlib>

#include "base/handle.hpp"

namespace chorus::sys {

std::optional<struct stat> link_status(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

std::optional<std::string> resolved(const std::string& path) {
    const Fd opened(open(path.c_str(), O_PATH | O_CLOEXEC));
    return opened ? resolved(opened, path) : std::nullopt;
}

// Avoids realpath(3), which looks at each directory of the path.
std::optional<std::string> resolved(const Fd& opened, const std::string& path) {
    std::string named = path_of(opened.get());
    if (named.starts_with('/') && !named.ends_with(" (deleted)")) return named;
    const base::Handle<char, std::free> real(realpath(path.c_str(), nullptr));
    if (!real) return std::nullopt;
    return std::string(real.get());
}

bool is_within(std::string_view path, std::string_view directory) {
    if (directory == "/") return path.starts_with('/');
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace chorus::sys
