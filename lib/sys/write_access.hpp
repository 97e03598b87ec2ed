// What a process may write without the privileges of root.
#pragma once

#include <string>

namespace chorus::sys {

// Why a command in a sandbox, which runs as this user and has none, may not write there ("which
// belongs to another user"), or "". Access lists are not read.
std::string why_not_written(const std::string& directory);

}  // namespace chorus::sys
