// posix_spawn for every child of Chorus; for this room's own use.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/error.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// Returns why the command could not be started, or nothing with `pid` set.
std::optional<base::Error> spawn(const ProcessCommand& command, const Streams& streams, pid_t& pid);

}  // namespace chorus::sys
