// The paths of an existing sub-agent, as people see and change them (chorus-subagents(7)).
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "base/enum_names.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"

namespace chorus::life {

enum class PathList { read, write, deny };
inline constexpr base::EnumNames<PathList, 3> path_lists{{"read", "write", "deny"}};

// A rule in force: of the sub-agent itself or of one above it, whose rules count as well.
struct ScopeRule {
    PathList list = PathList::read;
    std::string glob;
    std::string of;
};
std::vector<ScopeRule> scope_of(const agent::Home& home, store::Store& store,
                                const store::Agent& agent);

// Adds a glob to a list of its preset.md; to `read` and `write`, a denial of the same glob is
// removed. Rewrites nothing else of it, and `updated` of scope-plan.yml. Returns false if it is
// there already. Error(bad_request) for a glob that is none, Error(agent_busy).
bool widen_scope(const agent::Home& home, store::Store& store, const store::Agent& agent,
                 PathList list, const std::string& glob, const Decider& decider);

// Whether a path may be read and written, links resolved: why not, and by whose rules; "" where it
// may.
struct Refusal {
    std::string why;
    std::string of;
};
struct PathAccess {
    std::string path;  // relative to the directory in which it works; "" outside of it
    Refusal read;
    Refusal write;
};
PathAccess access_of(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     const std::string& path);

// Error(bad_request) for an agent that is no sub-agent.
void require_scope(store::Store& store, const store::Agent& agent);

}  // namespace chorus::life
