// What a process may write without the privileges of root.
#pragma once

#include <string>

namespace chorus::sys {

// As a command in a sandbox, which runs as this user and has none. Access lists are not read.
bool may_write_unprivileged(const std::string& directory);

}  // namespace chorus::sys
