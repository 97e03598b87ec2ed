// The workspace's part of a rewind.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "agent/snapshots.hpp"
#include "life/kept_checkpoints.hpp"
#include "place/place.hpp"
#include "turn/turn.hpp"
#include "upkeep/rewind.hpp"

namespace chorus::upkeep {

class WorkspaceRewind {
  public:
    // Goes back to before the turn wrote, or to the checkpoint. Error(not_found) if there is none.
    WorkspaceRewind(place::Place& place, const store::Turn& turn);
    WorkspaceRewind(place::Place& place, std::int64_t checkpoint);

    WorkspaceGoneBack go_back(bool force);
    // Called when the rewind is complete; a rewind without this mark was killed.
    void note_end();

  private:
    explicit WorkspaceRewind(place::Place& place);
    void load(const store::Checkpoint& target, const std::string& what);
    std::set<std::string> changed_by_others(const sys::Fingerprint& now);
    store::TurnId newest_turn();

    place::Place& place_;
    agent::Checkpoints checkpoints_;
    life::CheckpointSite site_;
    std::optional<agent::Tree> target_;       // absent: nothing was written since
    std::optional<store::Checkpoint> begun_;  // of the interrupted rewind that continues
    WorkspaceGoneBack gone_;
    bool has_checkpoint_ = false;
};

}  // namespace chorus::upkeep
