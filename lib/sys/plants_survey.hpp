// Searches a workspace for plants; for this room's own use.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sys/plants.hpp"

namespace chorus::sys {

// Implement Plants::in() and Plants::is_pointed_to().
std::set<Plant> survey(const std::string& workspace);
bool is_pointed_to(const std::string& workspace, std::string_view path);

}  // namespace chorus::sys
