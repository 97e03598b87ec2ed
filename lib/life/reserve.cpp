#include "life/reserve.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "sys/fd.hpp"

namespace chorus::life {
namespace {

// The commits, session and archive files of one chorus-destroy need only part of it.
constexpr off_t reserve_bytes = 256 * 1024;

}  // namespace

void keep_reserve(const agent::Home& home) {
    const sys::Fd fd(open(home.reserve().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd && posix_fallocate(fd.get(), 0, reserve_bytes) != 0) give_up_reserve(home);
}

void give_up_reserve(const agent::Home& home) {
    unlink(home.reserve().c_str());
}

}  // namespace chorus::life
