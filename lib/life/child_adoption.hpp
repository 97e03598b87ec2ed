// Enters sub-agents that the database does not know: their directories came with an adopted agent,
// with a branch, or from elsewhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "life/children.hpp"
#include "life/deciders.hpp"

namespace chorus::life {

struct ChildAdoption {
    // Imports the conversation in the directory's session.md before the sub-agent is active.
    std::function<std::size_t(store::Store&, const agent::Directory&, const store::Agent&)> bring;
    // Whether its preset.md may be used at once. Otherwise its turns are refused until the user
    // trusts it, unless the database knows a sub-agent of that id whose preset.md is the same.
    bool is_trusted = false;
};

// Enters the directory of an agent's sub-agent, whose path is relative to the home. It is complete
// or does nothing. Error(bad_request), Error(config_invalid), Error(agent_busy).
store::Agent adopt_child(const agent::Home& home, store::Store& store, const store::Agent& parent,
                         const std::string& dir, const ChildAdoption& adoption);
struct AdoptedChildren {
    std::vector<std::string> ids;
    std::vector<std::string> problems;  // of those that could not be entered
};
// Enters all that the database does not know below the agent, at any depth.
AdoptedChildren adopt_children(const agent::Home& home, store::Store& store,
                               const store::Agent& agent, const ChildAdoption& adoption);
// Copies a sub-agent from elsewhere to the agent's current branch: the file of its conversation, or
// the directory with it. Without a preset.md beside it, it gets the one of the preset that its id
// names, which needs no trust.
struct CopiedChild {
    std::string dir;  // relative to the home
    bool has_own_preset = false;
};
CopiedChild copy_child(const agent::Home& home, store::Store& store, const store::Agent& parent,
                       const std::string& path);

// Error(forbidden) if its preset.md is not trusted.
void require_trusted_preset(const agent::Home& home, store::Store& store,
                            const store::Agent& child);
bool has_trusted_preset(store::Store& store, const store::Agent& child);
// Records the user's decision, with an audit row.
void trust_preset(store::Store& store, const store::Agent& child, const std::string& text,
                  const Decider& decider);

}  // namespace chorus::life
