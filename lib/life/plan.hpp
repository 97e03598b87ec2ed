// Plans a new agent and checks everything before it is created.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/trust_keys.hpp"
#include "life/birth.hpp"

namespace chorus::life {

// The source of an agent: its agent.json, and the part of its trust keys that this home's user has
// set.
struct BirthSource {
    std::string text;
    std::string name;
    std::string part;
};
// Returns the source for the template in that directory; missing keys come from the installed
// template. The home's template and the installed one are trusted, because the user or the system
// provides them.
BirthSource source_of_template(const agent::Home& home, const std::string& directory);

struct BirthPlan {
    std::string text;                           // of the new agent.json
    std::string part;                           // its trust keys in force
    std::vector<agent::TrustChange> untrusted;  // without --trust
    std::string model;
    std::string model_origin;
    agent::Configuration configuration;                      // in force
    sys::SandboxMode sandbox = sys::SandboxMode::workspace;  // in force
    std::int64_t prompt_ttl_ms = 0;
};

// A template's agent.json, which the home's defaults override, or the agent's own.
enum class SourceKind { of_template, its_own };
// Throws like give_birth().
BirthPlan make_plan(const agent::Home& home, const sys::Environment& environment,
                    const BirthSource& source, SourceKind origin, const BirthOptions& options);

}  // namespace chorus::life
