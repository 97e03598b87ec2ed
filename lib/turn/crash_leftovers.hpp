// Removes what a killed process of a turn left in the file system: incomplete writes and commits.
#pragma once

#include "place/place.hpp"
#include "store/turns.hpp"

namespace chorus::turn {

// To be called before the process is removed from the row.
void remove_leftovers(place::Place& place, const agent::Home& home, const store::Turn& crashed);

}  // namespace chorus::turn
