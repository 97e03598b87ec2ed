// Removes what a killed process of a turn left in the file system: incomplete writes and commits.
#pragma once

#include "store/turns.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

// To be called before the process is removed from the row.
void remove_leftovers(Place& place, const agent::Home& home, const store::Turn& crashed);

}  // namespace chorus::turn
