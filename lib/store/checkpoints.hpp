// Checkpoints of workspaces: when they were made, and their names in the agent's store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/turns.hpp"

namespace chorus::store {

struct Checkpoint {
    std::int64_t id = 0;
    AgentId agent_id = 0;
    TurnId turn_id = 0;  // made before its first writing call; for a rewind, the newest turn
    bool of_rewind = false;
    base::TimeMs made_at = 0;
    std::string tree = {};         // "": nothing was stored, or it was removed
    std::string problem = {};      // why there is no tree
    std::int64_t store_bytes = 0;  // size of the store at that time
};

void insert_checkpoint(Store& store, Checkpoint& checkpoint);                 // sets id
void remove_checkpoint(Store& store, std::int64_t id, std::string_view why);  // the row stays
std::optional<Checkpoint> find_checkpoint(Store& store, AgentId agent, std::int64_t id);
// Returns the workspace before that turn's first write: the checkpoint of that turn, or the first
// later one. Nothing if no turn has written since.
std::optional<Checkpoint> checkpoint_before(Store& store, AgentId agent, TurnId turn);
bool has_checkpoint(Store& store, AgentId agent, TurnId turn);
std::optional<Checkpoint> newest_checkpoint(Store& store, AgentId agent);
std::int64_t newest_checkpoint_of_turn(Store& store, AgentId agent);  // its id; 0: none
// The checkpoints that have a tree, newest first.
std::vector<Checkpoint> kept_checkpoints(Store& store, AgentId agent);
// For an interrupted rewind: returns the first checkpoint made by it or by a repetition of it.
std::optional<Checkpoint> first_of_rewind_after(Store& store, AgentId agent, std::int64_t id);

}  // namespace chorus::store
