// A person gives an agent more rights: `always` adds the exact action to its allow list, and trust
// puts parts of agent.json in force.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "place/place.hpp"
#include "store/agents.hpp"
#include "store/prompts.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"

namespace chorus::approval {

struct Widening {
    const agent::Home& home;
    const sys::Environment& environment;
    const store::Agent& agent;
    std::string actor;
    store::TurnId turn = 0;
};

// Records the decision of a prompt and its row in the audit log, inside a transaction of the
// caller. Returns false if the prompt was already decided.
bool record_decision(store::Store& store, const store::Agent& agent, const store::Prompt& decided,
                     const std::string& detail);
// Returns why no rule can be made that allows exactly this action ("… is 618 bytes long, at most
// 512"), or "".
std::string no_rule_for(const std::string& action);
// Adds the actions that `decide` returns as rules to agent.json and its trusted part, with rows in
// the audit log, in one transaction with what `decide` writes. Changes nothing if there are none.
// Earlier approvals stay valid under the new rules, and pending calls with the same action are
// approved. Error(bad_request) if no rule can be made for one; Error(forbidden) if the person may
// not grant a custom profile; Error(agent_busy) if another process edits agent.json.
void allow_always(store::Store& store, const Widening& widening,
                  const std::function<std::vector<std::string>()>& decide);
// Returns the rules in force now under that config.json, for the turn if one is named.
place::Rights rights_in_force(store::Store& store, const Widening& widening,
                              const agent::HomeConfiguration& configuration);

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
