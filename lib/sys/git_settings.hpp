// What git finds in a command as the user's configuration (GIT_CONFIG_GLOBAL).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sys/environment.hpp"

namespace chorus::sys {

// The values of safe.directory in the system's and the user's own configuration, in order, "~/"
// written out. Files that those include are not read.
std::vector<std::string> safe_directories(const Environment& environment);
// The whole file: the identity of those who have none in their repository, safe.directory,
// safe.bareRepository, and filter.lfs where git-lfs is installed.
std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment);

}  // namespace chorus::sys
