// What a process may write without the privileges of root.
#pragma once

#include <string>

namespace chorus::sys {

// Returns why a command in a sandbox, which runs as this user without those privileges, may not
// write in the directory ("which belongs to another user"), or "". ACLs are not read.
std::string why_not_written(const std::string& directory);

}  // namespace chorus::sys
