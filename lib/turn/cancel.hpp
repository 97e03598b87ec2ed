// chorus-tasks cancel: a turn is ended from another process, as a signal to it would.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/layout.hpp"
#include "store/turns.hpp"

namespace chorus::turn {

struct CancelOptions {
    store::ThreadId thread = 0;  // 0: every one
    std::int64_t wait_ms = 0;    // for their ends
};
// Gives up the turns that are parked, and asks the process of every turn that is at work to end,
// told apart from another one that has its pid by its start time; then waits until they have ended,
// each as it always does: a process that was asked before is only waited for. Returns the rows as
// they are then, none where there was nothing to end. Error(timeout) naming the first one that has
// not ended; Error(forbidden) where this user may not; what `stop` throws comes through.
std::vector<store::Turn> cancel_turns(const agent::Home& home, store::Store& store,
                                      store::AgentId agent, const CancelOptions& options,
                                      const std::function<bool()>& stop);

// The parked ones alone; the rows as they are then.
std::vector<store::Turn> give_up_parked_turns(const agent::Home& home, store::Store& store,
                                              store::AgentId agent);

}  // namespace chorus::turn
