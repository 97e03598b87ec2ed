// The repository of a workspace against its own commands; for this room's own use.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace chorus::sys {

class Mounts;

// lstat(2), or nothing where there is nothing.
std::optional<struct stat> link_status(const std::string& path);
// Why the workspace's repository cannot be protected, or "".
std::string git_problem(const std::string& workspace);
void add_git(Mounts& mounts, const std::string& workspace);

}  // namespace chorus::sys
