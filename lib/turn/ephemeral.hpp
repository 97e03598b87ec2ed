// --ephemeral: a turn on a thread of its own, with the messages of the present one, of which only
// the rows in the audit log and what it cost are kept.
#pragma once

#include <cstdint>

#include "place/place.hpp"

namespace chorus::turn {

// Moves the place to such a thread, locked.
void begin_ephemeral_thread(place::Place& place, std::int64_t rolling_window_ms);
// Forgets the place's thread if it is such a one.
void forget_thread(place::Place& place);
// The same after its turn; the hint of the result, how to go on, is then dropped.
void forget_if_over(place::Place& place, chat::TurnResult& result);

}  // namespace chorus::turn
