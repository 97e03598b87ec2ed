// What of agent.json is not in force, because no person set it.
#pragma once

#include "turn/live.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

// Told, and asked: a prompt of kind trust, one for each state of the file.
void ask_for_trust(Place& place, const Loaded& loaded, const Surroundings& surroundings);
// After self_edit_permissions: what was decided is trusted.
void trust_permissions(Place& place);

}  // namespace chorus::turn
