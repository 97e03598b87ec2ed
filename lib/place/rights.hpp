// What an agent may do: the trusted part of agent.json, its profile, and the home's limits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/preset.hpp"
#include "agent/trust_keys.hpp"
#include "policy/profile.hpp"
#include "store/agents.hpp"
#include "store/turns.hpp"
#include "tools/tool.hpp"

namespace chorus::place {

struct Rights {
    std::string name;                       // of the profile that decides, for people
    policy::ProfileText own;                // the agent's own, written out
    std::vector<policy::Profile> profiles;  // the strictest of them decides
    sys::SandboxMode sandbox = sys::SandboxMode::workspace;
    std::size_t configured = 0;  // of `profiles`: the first ones; the others came with messages
    std::string fingerprint() const;  // of the configured profiles and the sandbox
};

// An agent above a sub-agent.
struct AgentAbove {
    store::AgentId id = 0;
    store::TurnId turn = 0;  // whose call spawned the one below; 0: a person did
    agent::Budget budget = {};
};

struct InForce {
    std::string file;  // agent.json as it was read, and the trusted part of it
    std::string part;
    agent::Configuration configuration;
    std::vector<agent::TrustChange> untrusted;  // in the file, not in force
    // The file's profile, if it is untrusted: it can only narrow the rights.
    std::optional<agent::Permissions> also = {};
    // The permissions a person gave one turn. They replace both; if the turn has messages of others
    // (`is_shared`), they apply in addition.
    std::optional<agent::Permissions> for_turn = {};
    bool is_shared = false;
    // These bound a sub-agent: what its preset narrows, and the permissions of the agents above.
    std::vector<agent::Permissions> bounds = {};
    std::vector<AgentAbove> above = {};  // the nearest first
};
// Error(config_invalid) with all tools that the preset names and nobody knows. `path`: the
// preset's.
void check_tools(const agent::Preset& preset);
// Returns the permissions stored with the turn; nothing if it has the agent's own.
std::optional<agent::Permissions> permissions_of_turn(const store::Turn& turn);
// Denies the tools whose results would outlive a turn of which nothing is kept.
agent::Permissions without_traces();

// Reads agent.json, or the preset.md of a sub-agent and what is in force above it.
// Error(config_invalid).
InForce configuration_in_force(store::Store& store, const store::Agent& agent,
                               const agent::Directory& directory,
                               const agent::HomeConfiguration& home);
// `sandbox`: the mode in force.
Rights rights_of(const InForce& in_force, const agent::HomeConfiguration& home,
                 sys::SandboxMode sandbox);
// Returns the deciding profiles and the sandbox as the inbox and tasks store them: whatever a turn
// leaves there gives no more rights than the turn had. `joined`: texts of this kind that apply to
// the turn itself.
std::string rights_text(const InForce& in_force, const agent::HomeConfiguration& home,
                        sys::SandboxMode sandbox, const std::vector<std::string>& joined);
// Adds the profiles of such a text to those that decide, and narrows the sandbox. The fingerprint
// stays, so that a turn's approvals still fit when it continues.
void join_rights(const std::string& text, const char* name, const agent::HomeConfiguration& home,
                 Rights& rights, sys::SandboxMode& sandbox);

// Returns the permissions as JSON for agent.json.
std::string profile_json(const policy::ProfileText& text);

// Returns the profile that a call of self_edit_permissions asks for; nothing for another tool or a
// malformed call.
std::optional<agent::Permissions> wanted_profile(std::string_view tool,
                                                 const tools::Arguments& arguments);
// Returns what the tool answers to a malformed call of this kind, about which nobody needs to be
// asked; "" if it is well-formed.
std::string profile_problem(std::string_view tool, const tools::Arguments& arguments,
                            const agent::HomeConfiguration& home);

}  // namespace chorus::place
