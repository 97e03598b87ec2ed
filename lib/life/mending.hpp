// The doctor's look at agents whose turns cannot begin: parts of their directories are gone or
// cannot be read, or no row knows a directory.
#pragma once

#include "agent/layout.hpp"
#include "life/deciders.hpp"
#include "life/flaws.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// Where `flaws` are to be mended: a missing part is made again, as far as rows, transcript and
// template say what it held; a file that is broken stays beside the new one; a directory without a
// row is adopted, with its saved sessions. Only a person can mend a value that is wrong, what may
// not be read, and what a link stands for. Agents that are being made or destroyed are not looked
// at, and of one at work nothing is changed.
void check_agent_directories(const agent::Home& home, store::Store& store,
                             const sys::Environment& environment, const Decider& decider,
                             Flaws& flaws);
// Checks that each part of the home is of its kind and may be read.
void check_home_parts(const agent::Home& home, Flaws& flaws);
// The same for config.json, which is never changed: it limits what agents may do. Whether it can be
// read.
bool check_home_configuration(const agent::Home& home, Flaws& flaws);

}  // namespace chorus::life
