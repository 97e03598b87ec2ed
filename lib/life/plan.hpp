// What an agent is going to be: checked before anything is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/trust.hpp"
#include "life/birth.hpp"

namespace chorus::life {

// What an agent is made of: its agent.json, and what of the trust keys there a person of this home
// has set.
struct Source {
    std::string text;
    std::string name;
    std::string part;
};
// Of the template in that directory; keys that it lacks are those of the installed one. The home's
// template and the installed one are this user's and this system's own: they are trusted.
Source source_of_template(const agent::Home& home, const std::string& directory);

struct Plan {
    std::string text;                           // agent.json to be
    std::string part;                           // what of its trust keys is in force
    std::vector<agent::TrustChange> untrusted;  // unless by --trust
    std::string model;
    std::string model_origin;
    agent::Configuration configuration;                      // in force
    sys::SandboxMode sandbox = sys::SandboxMode::workspace;  // in force
    std::int64_t prompt_ttl_ms = 0;
};

// A template's agent.json, which the defaults of the home overrule, or the agent's own.
enum class Origin { of_template, its_own };
// Throws as give_birth().
Plan make_plan(const agent::Home& home, const sys::Environment& environment, const Source& source,
               Origin origin, const BirthOptions& options);

}  // namespace chorus::life
