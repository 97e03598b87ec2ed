// chorus-tasks cancel: ends a turn from another process, as a signal would.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/layout.hpp"
#include "store/turns.hpp"

namespace chorus::upkeep {

struct CancelOptions {
    store::ThreadId thread = 0;  // 0: all threads
    std::int64_t wait_ms = 0;    // how long to wait for their end
};
// Gives up parked turns, asks the process of every turn at work to end, and waits until all have
// ended. The start time tells the process from another one with the same pid. A process that was
// asked before is only waited for. Returns the rows as they are then, none if there was nothing to
// end. Error(timeout) names the first turn that has not ended; Error(forbidden) if this user may
// not signal it; exceptions of `stop` pass through.
std::vector<store::Turn> cancel_turns(const agent::Home& home, store::Store& store,
                                      store::AgentId agent, const CancelOptions& options,
                                      const std::function<bool()>& stop);

// Gives up parked turns only; returns their rows as they are then.
std::vector<store::Turn> give_up_parked_turns(const agent::Home& home, store::Store& store,
                                              store::AgentId agent);

}  // namespace chorus::upkeep
