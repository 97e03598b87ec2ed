// What an agent may do: agent.json as far as a person set it, its profile, and the home's limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/trust.hpp"
#include "policy/profile.hpp"
#include "store/agents.hpp"
#include "store/turns.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {

struct Rights {
    std::string name;                       // of the profile that decides, for people
    policy::ProfileText own;                // the agent's own, written out
    std::vector<policy::Profile> profiles;  // the strictest of them decides
    std::string fingerprint;                // of all that decides, the sandbox included
};

struct InForce {
    std::string file;  // agent.json as it was read, and the trusted part of it
    std::string part;
    agent::Configuration configuration;
    std::vector<agent::TrustChange> untrusted;  // in the file, not in force
    // The file's own profile, where it is untrusted: it may only take away.
    std::optional<agent::Permissions> also = {};
    // What a person gave one turn instead of both; where messages of others came into the turn
    // (`is_shared`), beside both: they are not that person's.
    std::optional<agent::Permissions> for_turn = {};
    bool is_shared = false;
};
// As stored with the turn, nothing where it has the agent's own.
std::optional<agent::Permissions> permissions_of_turn(const store::Turn& turn);

// Reads agent.json. Error(config_invalid).
InForce configuration_in_force(store::Store& store, const store::Agent& agent,
                               const agent::Directory& directory,
                               const agent::HomeConfiguration& home);
// `sandbox`: the mode in force.
Rights rights_of(const InForce& in_force, const agent::HomeConfiguration& home,
                 sys::SandboxMode sandbox);
// The profiles that decide, and the sandbox, as the inbox and tasks keep them: whoever works for
// what a turn has left may do no more than that turn. `joined`: such texts that hold for it itself.
std::string rights_text(const InForce& in_force, const agent::HomeConfiguration& home,
                        sys::SandboxMode sandbox, const std::vector<std::string>& joined);
// Adds what such a text allows to what decides, and narrows the sandbox. The fingerprint stays: a
// turn that was asked about something is asked by the same rights when it goes on.
void join_rights(const std::string& text, const agent::HomeConfiguration& home, Rights& rights,
                 sys::SandboxMode& sandbox);

// Permissions as agent.json would write them out.
std::string profile_json(const policy::ProfileText& text);

// The profile that a call of self_edit_permissions asks for; nothing for another tool, and for one
// that is malformed.
std::optional<agent::Permissions> wanted_profile(std::string_view tool,
                                                 const tools::Arguments& arguments);
// Why nobody needs to be asked about such a call, "" where it is well-formed: what the tool
// answers.
std::string profile_problem(std::string_view tool, const tools::Arguments& arguments,
                            const agent::HomeConfiguration& home);

}  // namespace chorus::turn
