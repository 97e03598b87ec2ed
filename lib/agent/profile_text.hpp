// Permissions as the lists that policy::narrows compares.
#pragma once

#include <string_view>

#include "agent/configuration.hpp"

namespace chorus::agent {

// Of permissions that resolve_profile takes: what it compiles, a preset as a text of its base
// alone.
policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home);

// Reads the value of an option: a profile's name, or @FILE with one written out. resolve_profile
// knows whether there is one of that name. Error(config_invalid).
Permissions named_permissions(std::string_view given, std::string_view option);

}  // namespace chorus::agent
