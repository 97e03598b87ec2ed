// The user's decisions about an agent's trust keys, as recorded in the database: the part of
// agent.json that is in force (agent/trust_keys.hpp).
//
// Code that changes agent.json together with the record holds the agent's configuration lock; code
// that finds a difference takes the lock too and checks again before reporting it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/trust_keys.hpp"
#include "life/deciders.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "store/prompts.hpp"
#include "sys/person.hpp"

namespace chorus::life {

// Returns "" if none is recorded. A record that was tampered with trusts nothing: "{}".
std::string trusted_part(store::Store& store, store::AgentId agent);
// Runs inside a transaction of the caller.
void trust(store::Store& store, store::AgentId agent, std::string_view part);

// Records git_state() of the workspace of a destroyed agent whose files are kept. Runs inside a
// transaction of the caller.
void note_kept(store::Store& store, store::AgentId agent, std::string_view git_state);
std::string kept_git_state(store::Store& store, store::AgentId agent);

// Records the hash of a destroyed sub-agent's preset.md, if its files are kept. Likewise.
void note_kept_preset(store::Store& store, store::AgentId child, std::string_view hash);
// Returns that of the newest sub-agent that was in the directory; "" if none was kept there.
std::string kept_preset_hash(store::Store& store, const std::string& dir);

// Like trusted_part, but if nothing is recorded (the agent is older than the record), records the
// present agent.json as trusted, with an audit row.
std::string settled_trust(store::Store& store, const store::Agent& agent,
                          std::string_view agent_json, const Decider& decider);

// Returns why this person may not grant the profile, or "".
std::string grant_problem(const agent::HomeConfiguration& home, const sys::Person& person,
                          const std::string& profile);
// Error(forbidden) if the part gives an agent more permissions than this person may grant.
void check_grant(const sys::Environment& environment, const agent::HomeConfiguration& home,
                 std::string_view part_before, std::string_view part);

// Records that the user trusts `part`, with an audit row of the changes; agent.json already
// contains all or some of it. If agent.json then has no differences left, the agent's pending trust
// prompts are approved. Runs inside a transaction of the caller.
void decide_trust(store::Store& store, const store::Agent& agent, std::string_view part,
                  std::string_view agent_json, const Decider& decider);

// The hash that a trust question is bound to.
std::string change_hash(const std::vector<agent::TrustChange>& changes);
// Asks that question, and cancels those about an earlier agent.json. Does nothing if the same
// question is pending or was denied.
std::optional<store::Prompt> ask_for_trust(store::Store& store, const store::Agent& agent,
                                           const std::vector<agent::TrustChange>& changes,
                                           const policy::Redaction& redaction, std::int64_t ttl_ms);

}  // namespace chorus::life
