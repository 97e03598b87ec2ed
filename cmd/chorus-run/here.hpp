// chorus-run . : the agent of this directory.
#pragma once

#include <functional>
#include <string>

#include "agent/layout.hpp"
#include "sys/environment.hpp"
#include "turn/turn.hpp"

namespace chorus::run_command {

// Puts its name, and where in the directory the person stands, into the options. Makes the agent
// where there is none and the turn begins with a prompt; what `options` would have refused is
// refused before.
void find_agent_here(turn::TurnOptions& options, bool may_make, const agent::Home& home,
                     const sys::Environment& environment,
                     const std::function<void(const std::string&)>& warn);

}  // namespace chorus::run_command
