// Permissions as lists, which policy::narrows compares.
#pragma once

#include <string_view>

#include "agent/configuration.hpp"

namespace chorus::agent {

// Returns the text that resolve_profile would compile; for a preset, a text with only its base.
policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home);

// Reads an option's value: a profile's name, or @FILE with a profile in full. Whether the name
// exists is checked by resolve_profile. Error(config_invalid).
Permissions named_permissions(std::string_view given, std::string_view option);

}  // namespace chorus::agent
