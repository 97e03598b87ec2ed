// Finds or makes the agent of this directory, for `chorus-run .`.
#pragma once

#include <functional>
#include <string>

#include "agent/layout.hpp"
#include "sys/environment.hpp"
#include "turn/turn.hpp"

namespace chorus::run_command {

// Puts the agent's name and the position of the working directory below its place into `options`.
// If there is no agent and `may_make`, makes one, after refusing the options that the turn would
// refuse. Error(not_found) if there is none and it may not be made.
void find_agent_here(place::TurnOptions& options, bool may_make, const agent::Home& home,
                     const sys::Environment& environment,
                     const std::function<void(const std::string&)>& warn);

}  // namespace chorus::run_command
