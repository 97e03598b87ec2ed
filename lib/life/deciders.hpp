// Who may decide: a person's process, never one that a turn has started.
#pragma once

#include <cstdint>
#include <string>

#include "policy/redaction.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// As audit rows name them.
struct Decider {
    std::int64_t user_id = 0;
    std::string actor;
    policy::Redaction secrets = policy::Redaction();  // what the rows do not show
};

// Error(forbidden) where CHORUS_AGENT is in the environment, as it is for an agent's commands.
void refuse_from_inside(const sys::Environment& environment);
// The same, and where an ancestor of this process is the process of a turn at work.
void refuse_from_inside(store::Store& store, const sys::Environment& environment);

}  // namespace chorus::life
