// What /proc shows of processes; for this room's own use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sys/process.hpp"

namespace chorus::sys {

struct Status {
    char state = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    std::int64_t start = 0;
};

// Reads a file of /proc; nothing where it cannot be read, as when its process is gone.
std::optional<std::string> read_proc(const std::string& path);
// Returns nothing where there is no such process.
std::optional<Status> status_of(std::int64_t pid);
// Returns the children of all its threads.
std::vector<pid_t> children_of(pid_t parent);
Identity identity_of(pid_t pid);
// Readable once the process has ended.
Fd open_pidfd(pid_t pid);

}  // namespace chorus::sys
