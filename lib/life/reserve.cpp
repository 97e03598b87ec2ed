#include "life/reserve.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "sys/fd.hpp"

namespace chorus::life {
namespace {

// What the commits of a destroyed agent add to the log of the database, its session and its part of
// the archive, several times.
constexpr off_t reserve_bytes = 256 * 1024;

std::string path_of(const agent::Home& home) {
    return home.locks() + "/reserve";
}

}  // namespace

void keep_reserve(const agent::Home& home) {
    const sys::Fd fd(open(path_of(home).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd && posix_fallocate(fd.get(), 0, reserve_bytes) != 0) give_up_reserve(home);
}

void give_up_reserve(const agent::Home& home) {
    unlink(path_of(home).c_str());
}

}  // namespace chorus::life
