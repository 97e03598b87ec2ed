// The workspace as a turn found it, kept before its first call that may write there, for
// chorus-context rewind --workspace.
#pragma once

#include <functional>

#include "store/turns.hpp"
#include "tools/tool.hpp"
#include "turn/place.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

class TurnCheckpoint {
  public:
    TurnCheckpoint(Place& place, const Surroundings& surroundings)
        : place_(place), surroundings_(surroundings) {}

    // Before that tool begins. False: it is not to begin, as the turn is being ended. What cannot
    // be kept is told, and keeps no call from running. A turn with -C has no checkpoint.
    bool before(const tools::Tool& tool, const store::Turn& turn,
                const std::function<bool()>& stopping);
    // Once nothing of the turn runs any more.
    void note_end();

  private:
    bool keep(store::TurnId turn, const std::function<bool()>& stopping);

    Place& place_;
    const Surroundings& surroundings_;
    bool may_have_written_ = false;
};

}  // namespace chorus::turn
