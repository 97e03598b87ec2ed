// Whether this process's user may use a repository, by git's rules.
#pragma once

#include <string>
#include <vector>

#include "sys/environment.hpp"
#include "sys/git_place.hpp"

namespace chorus::sys {

// Throws Error(failed), whose message begins with `what`, unless the directory, its .git and its
// git directory belong to the user of this process or to the one who became root by sudo, or
// safe.directory names the directory: "*", the path itself, or "DIR/*" above it.
void check_owner(const std::string& what, const std::string& directory, const GitPlace& place);
// Returns the values of safe.directory in the system's and the user's own configuration, in order,
// with "~/" expanded; an empty value discards those before it. Included files are not read.
std::vector<std::string> safe_directories(const Environment& environment);

}  // namespace chorus::sys
