// An agent by its name.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// One that is active; what a crash of chorus-init left is finished first. Error(not_found) listing
// those there are, Error(exited), Error(not_ready).
store::Agent require_agent(const agent::Home& home, store::Store& store, const std::string& name);
// The same one as its row is now: what was read before a lock was held may be of yesterday.
store::Agent require_again(store::Store& store, const store::Agent& agent);
// For what is read of an agent that was destroyed too: Error(not_found) that lists the names there
// are.
void require_known_agent(store::Store& store, const std::string& name);

}  // namespace chorus::life
