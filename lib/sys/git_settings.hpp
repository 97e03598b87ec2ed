// What git finds in a command as the user's configuration (GIT_CONFIG_GLOBAL).
#pragma once

#include <string>

#include "sys/environment.hpp"

namespace chorus::sys {

// The whole file: the identity of those who have none in their repository, safe.directory,
// safe.bareRepository, and filter.lfs where git-lfs is installed.
std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment);

}  // namespace chorus::sys
