// `always`: adds the exact action to the agent's allow list when a person approves it.
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
#include "sys/lock.hpp"
#include "sys/person.hpp"

namespace chorus::approval {

struct Widening {
    const agent::Home& home;
    const sys::Environment& environment;
    const agent::HomeConfiguration& configuration;
    const store::Agent& agent;
    std::string actor;
    store::TurnId turn = 0;
};

Widening widening_of(const place::Place& place, const std::string& actor, store::TurnId turn = 0);

// Records the decision of a prompt and its row in the audit log, inside a transaction of the
// caller. Returns false if the prompt was already decided.
bool record_decision(store::Store& store, const store::Agent& agent, const store::Prompt& decided,
                     const std::string& detail);
// Adds the actions that `decide` returns as rules to agent.json and its trusted part, with rows in
// the audit log, in one transaction with what `decide` writes. Changes nothing if there are none.
// Earlier approvals stay valid under the new rules, and pending calls with the same action are
// approved. Error(forbidden) if the person may not grant a custom profile; Error(agent_busy) if
// another process edits agent.json.
void allow_always(store::Store& store, const Widening& widening,
                  const std::function<std::vector<std::string>()>& decide);
// The lock held while agent.json and its trusted part change, and config.json as read under it.
// Error(agent_busy); Error(exited) if the agent has been destroyed meanwhile.
struct HeldConfiguration {
    sys::Lock lock;
    agent::HomeConfiguration home;
};
HeldConfiguration hold_configuration(store::Store& store, const Widening& widening);
// Returns the rules in force now, for the turn if one is named.
place::Rights rights_in_force(store::Store& store, const Widening& widening);

}  // namespace chorus::approval
