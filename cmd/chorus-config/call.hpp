// The verbs of chorus-config(1).
#pragma once

#include <string>

#include "agent/editing.hpp"
#include "base/error.hpp"
#include "sys/environment.hpp"

namespace chorus::config {

constexpr const char* program = "chorus-config";

// The parsed command line.
struct Call {
    std::string agent;  // "": config.json
    std::string key;
    std::string value;
    bool json = false;
    bool show = false;
    bool yes = false;
    bool fix = false;
    std::string older_than = "90d";
    bool dry_run = false;
    agent::File file() const { return agent.empty() ? agent::File::home : agent::File::agent; }
};

base::ExitStatus get(const Call& call, const sys::Environment& environment);
base::ExitStatus set(const Call& call, const sys::Environment& environment);
base::ExitStatus unset(const Call& call, const sys::Environment& environment);
base::ExitStatus list(const Call& call, const sys::Environment& environment);
base::ExitStatus env(const Call& call, const sys::Environment& environment);
base::ExitStatus trust(const Call& call, const sys::Environment& environment);
base::ExitStatus trim(const Call& call, const sys::Environment& environment);
base::ExitStatus doctor(const Call& call, const sys::Environment& environment);

// Returns where the key is. Error(bad_request) if there is no such key; the hint names similar
// ones.
agent::KeyPlace require_place(const Call& call);

}  // namespace chorus::config
