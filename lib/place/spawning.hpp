// Creates and finds the sub-agents that turns and users name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "life/child_adoption.hpp"
#include "place/turn_options.hpp"

namespace chorus::place {

// Returns the sub-agent, after checking what life::spawn cannot: that its tools, permissions and
// model exist. Nothing is made otherwise. Error(config_invalid), Error(no_driver), and the errors
// of life::spawn.
store::Agent spawn_sub_agent(store::Store& store, const store::Agent& parent,
                             const life::SpawnOptions& wanted, const TurnOptions& options,
                             const sys::Environment& environment, const agent::Home& home);

// --spawn: creates a sub-agent of the agent that the options name, for their prompt and their
// directory; from then on they name it. Returns its id.
std::string spawn_for_user(life::SpawnOptions wanted, TurnOptions& options,
                           const Surroundings& surroundings);
// --subagent: an id, or the path of a sub-agent's directory or session.md. One that the database
// does not know is entered; one from elsewhere is copied first. From then on the options name it.
// Error(not_found), and the errors of life::adopt_child.
enum class IfUnknown { enter, refuse };
void choose_sub_agent(const std::string& given, TurnOptions& options,
                      const Surroundings& surroundings, IfUnknown if_unknown);

// Enters the sub-agents in an agent's directory that the database does not know.
life::AdoptedChildren adopt_sub_agents(store::Store& store, const store::Agent& agent,
                                       const agent::Home& home, const sys::Environment& environment,
                                       bool is_trusted);

}  // namespace chorus::place
