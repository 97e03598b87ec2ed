// What a turn's process left in the file system when it was killed: halves of writes and of commits
// that nobody will finish.
#pragma once

#include "store/turns.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

// Before the row forgets the process that is gone.
void remove_leftovers(Place& place, const agent::Home& home, const store::Turn& crashed);

}  // namespace chorus::turn
