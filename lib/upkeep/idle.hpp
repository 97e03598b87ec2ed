// chorus-context idle-save: saves the context of idle agents as a session and starts a new one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"
#include "turn/present.hpp"

namespace chorus::upkeep {

struct IdleOptions {
    std::vector<std::string> names;          // empty: every agent
    std::optional<std::int64_t> timeout_ms;  // --idle-timeout; else variable, else configuration
    turn::Summaries summaries = turn::Summaries::by_model;
};

struct IdleSaved {
    const store::Agent& agent;
    const store::Session& session;
    std::int64_t idle_ms = 0;
    std::string notice;  // the text shown to people
};
struct IdleSinks {
    std::function<void(const IdleSaved&)> saved;
    std::function<void(const std::string& agent, const base::Error&)> failed;
};

// If the last activity of an agent is older than its timeout (0: never), no turn is open and the
// windows are not empty, saves a session with trigger idle_timeout and clears the context, in one
// transaction; one transaction serves several agents if no model is asked. Summaries are made
// without a lock; an agent that was used meanwhile, or is locked, is not idle. An error with one
// agent does not stop the others. Returns how many failed.
std::size_t save_idle(store::Store& store, const IdleOptions& options,
                      const place::Surroundings& surroundings, const IdleSinks& sinks);

}  // namespace chorus::upkeep
