// Checkpoints of workspaces: when they were made and by which names the agent's store has them.
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
    TurnId turn_id = 0;  // before whose first writing call; of a rewind the newest turn then
    bool of_rewind = false;
    base::TimeMs made_at = 0;
    std::string tree = {};         // "": nothing was kept, or it was removed
    std::string problem = {};      // why
    std::int64_t store_bytes = 0;  // that the store took then
};

void insert_checkpoint(Store& store, Checkpoint& checkpoint);                 // sets id
void remove_checkpoint(Store& store, std::int64_t id, std::string_view why);  // the row stays
std::optional<Checkpoint> find_checkpoint(Store& store, AgentId agent, std::int64_t id);
// How the workspace was when that turn had written nothing yet: of that turn, or the first one
// later on. Nothing where nobody has written since.
std::optional<Checkpoint> checkpoint_before(Store& store, AgentId agent, TurnId turn);
bool has_checkpoint(Store& store, AgentId agent, TurnId turn);
std::optional<Checkpoint> newest_checkpoint(Store& store, AgentId agent);
std::int64_t newest_checkpoint_of_turn(Store& store, AgentId agent);  // its id; 0: none
// Those that have a tree, newest first.
std::vector<Checkpoint> kept_checkpoints(Store& store, AgentId agent);
// Of a rewind that was cut short: the first one made by it or by what repeated it.
std::optional<Checkpoint> first_of_rewind_after(Store& store, AgentId agent, std::int64_t id);

}  // namespace chorus::store
