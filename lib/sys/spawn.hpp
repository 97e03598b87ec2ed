// posix_spawn as every child of Chorus is started by; for this room's own use.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// The error number, or 0 with `pid` set.
int spawn(const Command& command, const Streams& streams, const std::string& program, pid_t& pid);
// What to throw for the number that spawn() returned.
base::Error start_error(const Command& command, int problem);

}  // namespace chorus::sys
