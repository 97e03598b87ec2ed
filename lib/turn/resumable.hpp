// --resume and --retry without -t: the thread is the one whose last turn can go on.
#pragma once

#include "turn/place.hpp"

namespace chorus::turn {

// The options with the thread: that of the one turn that can go on now; where there is none, of the
// one that waits or is parked; else as given, which means the branch that `current` names. Of
// several Error(bad_request) lists those that can go on, Error(input_required) those that wait.
TurnOptions with_thread(const TurnOptions& given, Found& found, const Surroundings& surroundings);

}  // namespace chorus::turn
