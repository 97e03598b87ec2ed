// Whether a repository may be used by this process's user, as git decides it.
#pragma once

#include <string>
#include <vector>

#include "sys/environment.hpp"
#include "sys/git_place.hpp"

namespace chorus::sys {

// Whether the workspace, its .git and its git directory belong to the user of this process, or to
// the one who became root by sudo, as far as they are there.
bool owns_repository(const std::string& workspace, const GitPlace& place,
                     const Environment& environment);
// The values of safe.directory in the system's and the user's own configuration, in order, "~/"
// written out; an empty value takes back what was named before. Files that those include are not
// read.
std::vector<std::string> safe_directories(const Environment& environment);
// Whether one of them names the workspace: "*", the path itself, or "DIR/*" above it.
bool is_safe_directory(const std::string& workspace, const Environment& environment);

}  // namespace chorus::sys
