// Mounts the part of a workspace that rules allow; for this room's own use.
#pragma once

#include <string>
#include <vector>

#include "sys/path_rules.hpp"

namespace chorus::sys {

class Mounts;

// The rules of which every one is obeyed. What a path says now is what counts: a file that appears
// later is not masked. Throws Error(failed) where the rules cannot be mounted.
void add_scoped(Mounts& mounts, const std::string& workspace, const std::vector<PathRules>& rules);

}  // namespace chorus::sys
