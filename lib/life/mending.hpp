// The doctor's checks of agents whose turns cannot start: parts of their directories are missing or
// unreadable, or a directory has no row.
#pragma once

#include "agent/layout.hpp"
#include "life/deciders.hpp"
#include "life/flaws.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// With `fix`, a missing part is created again as far as rows, transcript and template tell its
// content; a broken file stays beside the new one; a directory without a row is adopted, with its
// saved sessions. Wrong values, unreadable files and links have to be repaired by hand. Agents
// being created or destroyed are not checked, and an agent at work is not changed.
void check_agent_directories(const agent::Home& home, store::Store& store,
                             const sys::Environment& environment, const Decider& decider,
                             Flaws& flaws);
// Checks the kind and the permissions of each part of the home.
void check_home_parts(const agent::Home& home, Flaws& flaws);
// The same for config.json, which is never changed, because it limits what agents may do. Returns
// whether it can be read.
bool check_home_configuration(const agent::Home& home, Flaws& flaws);

}  // namespace chorus::life
