// What a person has said about an agent's trust keys, as the database knows it: the part of
// agent.json that is in force (agent/trust.hpp).
//
// Whoever changes agent.json and the record together holds the agent's configuration lock; who
// finds that they differ takes it too and looks again before saying so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/trust.hpp"
#include "life/deciders.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "store/prompts.hpp"
#include "sys/person.hpp"

namespace chorus::life {

// "" where none is recorded. A record that was tampered with trusts nothing: "{}".
std::string trusted_part(store::Store& store, store::AgentId agent);
// Inside a transaction of the caller.
void trust(store::Store& store, store::AgentId agent, std::string_view part);

// Of an agent that was destroyed and its files kept: git_state() of its workspace. Inside a
// transaction of the caller.
void note_kept(store::Store& store, store::AgentId agent, std::string_view git_state);
std::string kept_git_state(store::Store& store, store::AgentId agent);

// The same as trusted_part, but where none is recorded (the agent is older than the record), what
// agent.json says now is, with an audit row that says so.
std::string settled_trust(store::Store& store, const store::Agent& agent,
                          std::string_view agent_json, const Decider& decider);

// Why this person may not grant the profile, or "".
std::string grant_problem(const agent::HomeConfiguration& home, const sys::Person& person,
                          const std::string& profile);
// Error(forbidden) where the part gives an agent more rights than this person may grant.
void check_grant(const sys::Environment& environment, const agent::HomeConfiguration& home,
                 std::string_view part_before, std::string_view part);

// A person trusts `part`, which agent.json now holds wholly or in part: the record, and an audit
// row of what changes. Where agent.json then differs in nothing, the agent's prompts of kind trust
// are answered by it. Inside a transaction of the caller.
void decide_trust(store::Store& store, const store::Agent& agent, std::string_view part,
                  std::string_view agent_json, const Decider& decider);

// What a question of the kind trust says, and what it is bound to.
std::string change_text(const std::vector<agent::TrustChange>& changes);
std::string change_hash(const std::vector<agent::TrustChange>& changes);
// Puts that question, in the place of those about what agent.json said before. Nothing where it
// was put before, and waits or was answered with no.
std::optional<store::Prompt> ask_for_trust(store::Store& store, const store::Agent& agent,
                                           const std::vector<agent::TrustChange>& changes,
                                           const policy::Redaction& redaction, std::int64_t ttl_ms);

}  // namespace chorus::life
