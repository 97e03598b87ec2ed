#include "sys/descent.hpp"

#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_levels = 64;

}  // namespace

const Fd& Descent::open(const std::string& path) {
    // no other program could open it
    if (path.size() >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return none_;
    }
    while (!levels_.empty() && !path.starts_with(levels_.back().path)) levels_.pop_back();
    const std::string below = levels_.empty() ? path : path.substr(levels_.back().path.size());
    Fd fd =
        open_beneath(levels_.empty() ? root_ : levels_.back().fd.get(), below.empty() ? "." : below,
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW, Links::none);
    if (!fd) return none_;
    levels_.push_back({path, std::move(fd)});
    if (levels_.size() > most_levels) levels_.pop_front();
    return levels_.back().fd;
}

}  // namespace chorus::sys
