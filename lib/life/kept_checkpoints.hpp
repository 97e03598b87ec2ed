// Checkpoints of an agent's workspace (agent/snapshots.hpp) with their rows: made before a write,
// removed when they are old or too many.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "agent/snapshots.hpp"
#include "store/checkpoints.hpp"
#include "sys/beneath.hpp"

namespace chorus::life {

struct CheckpointSite {
    const agent::Home& home;
    store::Store& store;
    const store::Agent& agent;
    const agent::Directory& directory;
    std::int64_t most_bytes = 0;  // 0: no contents are stored
    std::function<void(const std::string&)> warn = {};
    std::function<bool()> stop = {};
};

// Makes a checkpoint of the workspace; `now` was just made from it. The row is committed when this
// returns. Processes take turns. Error(canceled) if `stop` returns true; Error(failed) if one of a
// rewind would lack files because the disk is nearly full.
store::Checkpoint keep_checkpoint(const CheckpointSite& site, const sys::Root& root,
                                  const sys::Fingerprint& now, store::TurnId turn, bool of_rewind);
// Records that a checkpoint could not be made.
void note_no_checkpoint(const CheckpointSite& site, store::TurnId turn, const std::string& problem);
// Records the state of the workspace at the end of a turn or a rewind. `kept` are paths that a
// rewind has left as others had changed them: they count as changed by others from then on, too.
void note_end(const CheckpointSite& site, const sys::Root& root,
              const std::vector<std::string>& kept = {});
// Removes the checkpoints older than `before` of one agent, whose directory must exist. Returns how
// many; `dry_run` only counts them.
std::int64_t remove_checkpoints(const agent::Home& home, store::Store& store,
                                const store::Agent& agent, base::TimeMs before, bool dry_run);

}  // namespace chorus::life
