// Protects the repository of a workspace from its own commands; for this room's own use.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace chorus::sys {

class Mounts;

// Returns why the workspace's repository cannot be protected, or nothing.
std::optional<base::Error> git_problem(const std::string& workspace);
void add_git(Mounts& mounts, const std::string& workspace);

}  // namespace chorus::sys
