// Why an action would be allowed, asked about or denied for an agent as it is configured now.
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.hpp"
#include "policy/profile.hpp"
#include "turn/turn.hpp"

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

// As a turn would decide, with the sandbox tried as a turn tries it. Error(bad_request) where the
// action is none of a tool that there is; Error as for a turn that cannot begin.
Explanation explain(const ExplainOptions& options, const Surroundings& surroundings);

}  // namespace chorus::turn
