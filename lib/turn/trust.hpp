// What of agent.json is not in force, because no person set it.
#pragma once

#include "turn/always.hpp"
#include "turn/live.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

// What --permissions gives the turn. Error(forbidden) from inside of a turn, and for who may not
// grant it, unless it narrows what the agent has; Error(config_invalid) for a profile that nobody
// knows.
void check_given_permissions(Place& place, const TurnOptions& options,
                             const Surroundings& surroundings);
// Told, and asked: a prompt of kind trust, one for each state of the file.
void ask_for_trust(Place& place, const Loaded& loaded, const Surroundings& surroundings);
// After self_edit_permissions: what was decided is trusted.
void trust_permissions(Place& place, const agent::Permissions& permissions);
// A prompt of that kind is approved: what agent.json says is trusted, if it is still what the
// prompt is about, else Error(no_prompt). False where somebody has decided it first.
// Error(forbidden) as check_trust_grant; Error(config_invalid) for what no turn would take.
bool approve_trust(store::Store& store, const Widening& widening, const store::Prompt& decided);

}  // namespace chorus::turn
