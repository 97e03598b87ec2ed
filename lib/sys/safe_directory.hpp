// Whether a repository may be used by this process's user, as git decides it.
#pragma once

#include <string>
#include <vector>

#include "sys/environment.hpp"
#include "sys/git_place.hpp"

namespace chorus::sys {

// Throws Error(failed), which begins with `what`, unless the directory, its .git and its git
// directory belong to the user of this process or to the one who became root by sudo, or
// safe.directory names the directory: "*", the path itself, or "DIR/*" above it.
void check_owner(const std::string& what, const std::string& directory, const GitPlace& place);
// The values of safe.directory in the system's and the user's own configuration, in order, "~/"
// written out; an empty value takes back what was named before. Files that those include are not
// read.
std::vector<std::string> safe_directories(const Environment& environment);

}  // namespace chorus::sys
