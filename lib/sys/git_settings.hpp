// The user configuration that git reads in a command (GIT_CONFIG_GLOBAL).
#pragma once

#include <string>

#include "sys/environment.hpp"

namespace chorus::sys {

// Returns the text of the file: an identity for repositories without one, safe.directory,
// safe.bareRepository, and filter.lfs where git-lfs is installed.
std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment);

}  // namespace chorus::sys
