// The part of a clone that chorus-git does. Include it in this room's .cpp files only.
#pragma once

#include <string>
#include <vector>

#include "repo/repository.hpp"

namespace chorus::repo {

// Into the workspace, an empty directory. Returns the paths of what is not simply a file: links,
// and submodules that were not fetched, with a slash at the end.
std::vector<std::string> fetch_clone(const std::string& address, const std::string& workspace,
                                     const Author& author, bool with_submodules);
// The work tree lacks these links on purpose from here on, those of submodules too.
void leave_out(const std::string& workspace, const std::vector<std::string>& paths);

}  // namespace chorus::repo
