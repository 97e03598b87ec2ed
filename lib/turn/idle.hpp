// chorus-context idle-save: who has not been spoken to for long begins anew, and what was said is
// kept.
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
#include "turn/turn.hpp"

namespace chorus::turn {

struct IdleOptions {
    std::vector<std::string> names;          // none: every agent
    std::optional<std::int64_t> timeout_ms;  // --idle-timeout; else the variable, else what is set
    Summaries summaries = Summaries::by_model;
};

struct IdleSaved {
    const store::Agent& agent;
    const store::Session& session;
    std::int64_t idle_ms = 0;
    std::string notice;  // what its people are told
};
struct IdleSinks {
    std::function<void(const IdleSaved&)> saved;
    std::function<void(const std::string& agent, const base::Error&)> failed;
};

// Where the last activity of an agent is older than its timeout (0: never), no turn is open and the
// windows hold something: a session with trigger idle_timeout and a clear, in one transaction; of
// several agents where no model is asked. Summaries are made without a lock; somebody who came
// meanwhile, or holds the agent, means that it is not idle. What goes wrong with one agent does not
// stop the others; how many did.
std::size_t save_idle(store::Store& store, const IdleOptions& options,
                      const Surroundings& surroundings, const IdleSinks& sinks);

}  // namespace chorus::turn
