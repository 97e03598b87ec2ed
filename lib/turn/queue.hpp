// --queue: a message for the turn that is at work, or for the next one.
#pragma once

#include <optional>

#include "turn/place.hpp"

namespace chorus::turn {

// The place, without the thread's lock on entry. A result: a turn is at work and will take the
// message up (promise 1: it is stored). Nothing: the lock is held now and the caller runs.
// Error(agent_busy) where the lock stays taken and no turn begins.
std::optional<chat::TurnResult> queue_or_lock(Place& place, const TurnOptions& options,
                                              const Surroundings& surroundings);
// Where a suspended turn waits: inbox messages never cancel a question, they wait for it.
chat::TurnResult queue_behind(Place& place, const TurnOptions& options,
                              const Surroundings& surroundings);

}  // namespace chorus::turn
