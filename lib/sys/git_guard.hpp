// The repository of a workspace against its own commands; for this room's own use.
#pragma once

#include <string>

namespace chorus::sys {

class Mounts;

// Why the workspace's repository cannot be protected, or "".
std::string git_problem(const std::string& workspace);
void add_git(Mounts& mounts, const std::string& workspace);

}  // namespace chorus::sys
