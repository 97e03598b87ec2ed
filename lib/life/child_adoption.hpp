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
    // Returns whether the text of a session.md has a message; `what` begins the error's message.
    std::function<bool(const std::string& text, const std::string& what)> has_message;
    // Imports the conversation in the directory's session.md before the sub-agent is active;
    // returns how many messages.
    std::function<std::size_t(store::Store&, const agent::Directory&, const store::Agent&)> bring;
    // Whether its preset.md may be used at once. Otherwise its turns are refused until the user
    // trusts it, unless this home wrote the same one for that id.
    bool is_trusted = false;
};

struct AdoptedChild {
    store::Agent agent;
    std::size_t messages = 0;
};
// Enters the directory of an agent's sub-agent, whose path is relative to the home. It is complete
// or does nothing. Error(bad_request), Error(config_invalid), Error(agent_busy).
AdoptedChild adopt_child(const agent::Home& home, store::Store& store, const store::Agent& parent,
                         const std::string& dir, const ChildAdoption& adoption);
struct AdoptedChildren {
    std::vector<std::string> ids;
    std::vector<std::string> problems;  // of those that could not be entered, or have no message
};
// Enters all that the database does not know below the agent, at any depth.
AdoptedChildren adopt_children(const agent::Home& home, store::Store& store,
                               const store::Agent& agent, const ChildAdoption& adoption);
// Copies a sub-agent from elsewhere to the agent's current branch, and enters it: the file of its
// conversation, or the directory with it. Without a preset.md beside it, it gets the one of the
// preset that its id names. An isolated one is refused: its clone is not copied.
AdoptedChild adopt_copy(const agent::Home& home, store::Store& store, const store::Agent& parent,
                        const std::string& path, const ChildAdoption& adoption);

// Error(forbidden) if its preset.md is not trusted.
void require_trusted_preset(const agent::Home& home, store::Store& store,
                            const store::Agent& child);
bool has_trusted_preset(store::Store& store, const store::Agent& child);
// Records the user's decision, with an audit row.
void trust_preset(store::Store& store, const store::Agent& child, const std::string& text,
                  const Decider& decider);

}  // namespace chorus::life
