// What the process does to itself and to its surroundings before it swaps.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace escape {

// From here on the kernel lets it write nothing beside `directory`, so that nothing outside can be
// its own doing. Without Landlock it is as careful as it was.
void keep_to(const std::string& directory);

// A process in a user and mount name space of its own that mounts the directories given, and
// temporary ones, over the directories of the ground. Returns its id, -1 where the kernel does not
// let it.
pid_t mount_over(const std::string& ground, const std::vector<std::string>& directories);

}  // namespace escape
