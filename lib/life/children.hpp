// Creates sub-agents: the directory and the rows together, all or nothing (chorus-subagents(7)).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "agent/preset.hpp"
#include "life/find_agent.hpp"
#include "store/agents.hpp"
#include "store/turns.hpp"
#include "sys/lock.hpp"
#include "sys/path_rules.hpp"

namespace chorus::life {

struct SpawnOptions {
    std::string preset;
    std::string description;  // what it is for; a part of its id
    // Globs. Absent: what its parent may read; empty: everything, but never more than its parent.
    std::optional<std::vector<std::string>> allowed_paths = {};
    std::vector<std::string> denied_paths = {};
    std::string place = {};  // where it works, as store::Agent has it
    bool isolate = false;    // it works in a clone of its own; its preset can say so too
    // The turn and the call spawn it. It never has more than the rights of that turn
    // (place/rights.hpp).
    std::string rights = {};
    store::TurnId parent_turn = 0;
    std::string parent_call = {};
};

// Everything is checked before anything is made. Returns the sub-agent, active. Error(bad_request),
// Error(config_invalid) for a preset that cannot be read, Error(agent_busy).
store::Agent spawn(const agent::Home& home, store::Store& store, const store::Agent& parent,
                   const SpawnOptions& options);

// Held while a sub-agent of that parent is created, which is not destroyed meanwhile. What a killed
// creation left is settled. Error(agent_busy).
struct ChildrenLock {
    HeldAgent parent;
    sys::Lock lock;
};
ChildrenLock lock_children(const agent::Home& home, store::Store& store,
                           const store::Agent& parent);
// Error(bad_request) for a sub-agent that would be deeper than sub-agents are nested.
void check_depth(std::size_t depth, const store::Agent& parent);
// Returns the preset.md that a sub-agent of that preset gets.
std::string preset_for(const agent::Home& home, const store::Agent& parent,
                       const std::string& preset);

// Returns the path, without links, where the turns of an agent or a sub-agent work without -C.
std::string workplace_of(const agent::Home& home, const store::Agent& agent);
// Returns the agent above a sub-agent, then the one above that, to the top; empty for an agent.
std::vector<store::Agent> ancestors_of(store::Store& store, const store::Agent& agent);
// Returns the agent at the top: itself, if it is no sub-agent.
store::AgentId top_of(store::Store& store, const store::Agent& agent);
// Returns the rules of a sub-agent's paths, its own first, then those of the sub-agents above it.
// `root`: where it works. Error(config_invalid).
std::vector<sys::PathRules> path_rules_of(const agent::Home& home, store::Store& store,
                                          const store::Agent& agent, const std::string& root);
// An active sub-agent, the name of the agent above it, and how deep it is: 1 below an agent.
struct SubAgent {
    store::Agent agent;
    std::string parent;
    std::size_t depth = 1;
};
// Returns all below the agent, at any depth: each before those below it, oldest first.
std::vector<SubAgent> sub_agents_of(store::Store& store, const store::Agent& agent);
// Returns the same without the copies that other branches than the current one have.
std::vector<SubAgent> sub_agents_here(const agent::Home& home, store::Store& store,
                                      const store::Agent& agent);
// Returns the active sub-agent of that id below the agent, at any depth. If branches have copies of
// it, that of the current branch is returned.
std::optional<store::Agent> find_sub_agent(const agent::Home& home, store::Store& store,
                                           const store::Agent& agent, const std::string& id);
// The same; Error(not_found) with the known ones.
store::Agent require_sub_agent(const agent::Home& home, store::Store& store,
                               const store::Agent& agent, const std::string& id);

}  // namespace chorus::life
