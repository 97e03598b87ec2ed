// Removes what the killed process of a turn left in the file system.
#pragma once

#include "place/place.hpp"

namespace chorus::turn {

// Removes incomplete writes, mount points and commits, and enters the artifacts whose file was
// written but whose row was not. Warns of files that programs outside the sandbox would obey. The
// turn is one of `agent`, which need not be the place's. To be called before the process is removed
// from the turn's row; does nothing if there is none, or if the turn was waiting and wrote nothing.
void remove_remains(const place::Surroundings& surroundings, store::Store& store,
                    const policy::Redaction& redaction, const store::Agent& agent,
                    const store::Turn& turn);

}  // namespace chorus::turn
