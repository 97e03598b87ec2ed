// Who may decide: the user's own processes, never one started by a turn.
#pragma once

#include <cstdint>
#include <string>

#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// The acting user, as in audit rows.
struct Decider {
    std::string actor;
    policy::Redaction secrets = policy::Redaction();  // redacted in the rows
};

// Appends an audit row of what the decider decided for an agent. Runs inside a transaction of the
// caller.
void append_decision(store::Store& store, const store::Agent& agent, const Decider& decider,
                     std::string action, std::string decision, const std::string& detail);

// Error(forbidden) if CHORUS_AGENT is in the environment, as it is for an agent's commands.
void refuse_from_inside(const sys::Environment& environment);
// The same, and if an ancestor of this process is the process of a running turn.
void refuse_from_inside(store::Store& store, const sys::Environment& environment);

}  // namespace chorus::life
