// Explains why an action would be allowed, asked about or denied for an agent as it is configured
// now.
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.hpp"
#include "place/turn_options.hpp"
#include "policy/profile.hpp"

namespace chorus::turn {

struct ExplainOptions {
    std::string agent;
    std::string action;                             // "tool:bash:git push"
    std::optional<agent::Permissions> permissions;  // instead of the agent's
};

struct Explanation {
    policy::Decision decision;
    std::string profile;  // its name, "custom" for one written out
    // Of a shell action:
    bool is_shell = false;
    policy::Profile::Reading reading;
    std::string sandbox;          // "workspace", "workspace+net", "landlock", "off"
    std::string sandbox_problem;  // why commands cannot run in it, or ""
};

// Decides as a turn would, and tests the sandbox as a turn does. Error(bad_request) if no tool
// makes such an action; other errors as for a turn that cannot begin.
Explanation explain(const ExplainOptions& options, const place::Surroundings& surroundings);

}  // namespace chorus::turn
