// Which keys of a repository's configuration make git do more than keep that repository; for this
// room's own use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

struct GitEntry {
    std::string key;  // "core.fsmonitor"
    std::string line;
};
// Every entry but those whose keys are known to run nothing, to read nothing elsewhere and to write
// nowhere else; what cannot be told is among them.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration);
// Whether a rebase that goes on with this list of steps runs a command.
bool has_exec_step(std::string_view steps);

}  // namespace chorus::sys
