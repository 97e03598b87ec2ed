// Permissions as the lists that policy::narrows compares.
#pragma once

#include "agent/configuration.hpp"

namespace chorus::agent {

// Of permissions that resolve_profile takes: what it compiles, a preset as a text of its base
// alone.
policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home);

}  // namespace chorus::agent
