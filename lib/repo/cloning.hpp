// The part of a clone that chorus-git does. Include it in this room's .cpp files only.
#pragma once

#include <string>
#include <vector>

#include "repo/repository.hpp"

namespace chorus::repo {

// Into the workspace, an empty directory. The paths of the links in its index are returned.
std::vector<std::string> fetch_clone(const std::string& address, const std::string& workspace,
                                     const Author& author);
// The work tree lacks these on purpose from here on.
void leave_out(const std::string& workspace, const std::vector<std::string>& paths);

}  // namespace chorus::repo
