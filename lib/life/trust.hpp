// What a person has said about an agent's trust keys, as the database knows it: the part of
// agent.json that is in force (agent/trust.hpp).
//
// Whoever changes agent.json and the record together holds the agent's configuration lock; who
// finds that they differ takes it too and looks again before saying so.
#pragma once

#include <string>
#include <string_view>

#include "agent/trust.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// "" where none is recorded. A record that was tampered with trusts nothing: "{}".
std::string trusted_part(store::Store& store, store::AgentId agent);
// Inside a transaction of the caller.
void trust(store::Store& store, store::AgentId agent, std::string_view part);

// The same as trusted_part, but where none is recorded (the agent is older than the record), what
// agent.json says now is, with an audit row that says so.
std::string settled_trust(store::Store& store, const store::Agent& agent,
                          std::string_view agent_json, const Decider& decider);

// A person trusts `part`, which agent.json now holds wholly or in part: the record, and an audit
// row of what changes. Where agent.json then differs in nothing, the agent's prompts of kind trust
// are answered by it. Inside a transaction of the caller.
void decide_trust(store::Store& store, const store::Agent& agent, std::string_view part,
                  std::string_view agent_json, const Decider& decider);

}  // namespace chorus::life
