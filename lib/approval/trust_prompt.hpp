// Parts of agent.json that are not in force because no person approved them.
#pragma once

#include "approval/always.hpp"
#include "place/place.hpp"

namespace chorus::approval {

// Checks what --permissions gives the turn. Error(forbidden) inside a turn, and if this person may
// not grant a profile that does not narrow the agent's; Error(config_invalid) for an unknown
// profile.
void check_given_permissions(place::Place& place);
// Warns of untrusted parts and creates a prompt of kind trust, one for each state of the file.
void ask_for_trust(place::Place& place, const std::vector<agent::TrustChange>& seen);
// Trusts the permissions that were decided, after self_edit_permissions.
void trust_permissions(place::Place& place, const agent::Permissions& permissions);
// Approves a prompt of kind trust: what agent.json says becomes trusted. Returns false if the
// prompt was already decided. Error(no_prompt) if the file no longer says what the prompt is about;
// Error(forbidden) as of life::check_grant; Error(config_invalid) if no turn could use it.
bool approve_trust(store::Store& store, const Widening& widening, const store::Prompt& decided);

}  // namespace chorus::approval
