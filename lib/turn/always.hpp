// `always`: the exact action joins the agent's allow list, by a person's word.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "store/agents.hpp"
#include "store/prompts.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"
#include "sys/lock.hpp"
#include "sys/person.hpp"
#include "turn/rights.hpp"

namespace chorus::turn {

struct Widening {
    const agent::Home& home;
    const sys::Environment& environment;
    const agent::HomeConfiguration& configuration;
    const store::Agent& agent;
    std::string actor;
    store::TurnId turn = 0;
};

// The decision of a question, with its row in the audit log. Inside a transaction of the caller.
// False: somebody else was first.
bool record_decision(store::Store& store, const store::Agent& agent, const store::Prompt& decided,
                     const std::string& detail);
// What `decide` returns, actions, becomes rules in agent.json, the trusted part and the audit log,
// in one transaction with what `decide` writes; nothing is changed where it returns none. What was
// approved under the rules before holds under those after, and equal calls that wait are approved
// with it. Error(forbidden) for who may not grant a profile of the agent's own, Error(agent_busy)
// where another process edits agent.json.
void allow_always(store::Store& store, const Widening& widening,
                  const std::function<std::vector<std::string>()>& decide);
// Error(forbidden) where the part (agent/trust.hpp) gives the agent more rights than this person
// may grant.
void check_trust_grant(const Widening& widening, const std::string& part_before,
                       const std::string& part);
// Held while agent.json and what is trusted of it change; what else decides is read after it.
// Error(agent_busy), Error(exited) where the agent is gone by then.
struct HeldConfiguration {
    sys::Lock lock;
    agent::HomeConfiguration home;
};
HeldConfiguration hold_configuration(store::Store& store, const Widening& widening);
// The rules in force now, for the turn where one is named.
Rights rights_in_force(store::Store& store, const Widening& widening);
std::string fingerprint_in_force(store::Store& store, const Widening& widening);
// Why this person may not, or "".
std::string grant_problem(const Widening& widening, const sys::Person& person,
                          const std::string& profile);

}  // namespace chorus::turn
