// --resume and --retry without -t: finds the thread whose last turn can continue.
#pragma once

#include "place/place.hpp"

namespace chorus::turn {

// Returns the options with the thread of the one turn that can continue now; if there is none, of
// the one that waits or is parked; else as given, which means the branch that `current` names. If
// there are several, Error(bad_request) lists those that can continue, Error(input_required) those
// that wait.
place::TurnOptions with_thread(const place::TurnOptions& given, place::FoundAgent& found,
                               const place::Surroundings& surroundings);

}  // namespace chorus::turn
