// Keeps the workspace as it is before a turn's first call that may write there, for chorus-context
// rewind --workspace.
#pragma once

#include <functional>

#include "place/place.hpp"
#include "store/turns.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {

class TurnCheckpoint {
  public:
    explicit TurnCheckpoint(place::Place& place) : place_(place) {}

    // Whether before() will keep the workspace first, which takes time.
    bool is_due(const tools::Tool& tool, const store::Turn& turn) const;
    // Called before the tool begins. Returns false if it must not begin because the turn is being
    // ended. If the workspace cannot be kept, warns and returns true. A turn with -C has no
    // checkpoint.
    bool before(const tools::Tool& tool, const store::Turn& turn,
                const std::function<bool()>& stopping);
    // Called when nothing of the turn runs any more.
    void note_end(const store::Turn& turn);

  private:
    bool is_of_call(const store::Turn& turn) const;
    bool keep(const store::Turn& turn, const std::function<bool()>& stopping);

    place::Place& place_;
    bool may_have_written_ = false;
};

}  // namespace chorus::turn
