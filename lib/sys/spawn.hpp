// posix_spawn for every child of Chorus; for this room's own use.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// Returns an error number, or 0 with `pid` set.
int spawn(const ProcessCommand& command, const Streams& streams, const std::string& program,
          pid_t& pid);
// Returns the error to throw for the number that spawn() returned.
base::Error start_error(const ProcessCommand& command, int problem);

}  // namespace chorus::sys
