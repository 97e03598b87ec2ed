#include "store/checkpoints.hpp"

#include <algorithm>

#include "store/columns.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<bool, 2> causes{{"turn", "rewind"}};

constexpr Table checkpoints{
    Source<Checkpoint>{"checkpoints"},
    read_only("id", &Checkpoint::id),
    column("agent_id", &Checkpoint::agent_id),
    column("turn_id", &Checkpoint::turn_id),
    column("cause", &Checkpoint::of_rewind, ByName{causes, "cause of a checkpoint"}),
    column("made_at", &Checkpoint::made_at),
    column("tree", &Checkpoint::tree),
    column("problem", &Checkpoint::problem),
    column("store_bytes", &Checkpoint::store_bytes),
};

}  // namespace

void insert_checkpoint(Store& store, Checkpoint& checkpoint) {
    checkpoints.insert(store, checkpoint);
    checkpoint.id = store.last_insert_id();
}

void remove_checkpoint(Store& store, std::int64_t id, std::string_view why) {
    run(store, "UPDATE checkpoints SET tree = '', problem = ? WHERE id = ?", why, id);
}

std::optional<Checkpoint> find_checkpoint(Store& store, AgentId agent, std::int64_t id) {
    return checkpoints.find(store, "WHERE agent_id = ? AND id = ?", agent, id);
}

std::optional<Checkpoint> checkpoint_before(Store& store, AgentId agent, TurnId turn) {
    return checkpoints.find(store, "WHERE agent_id = ? AND turn_id >= ? ORDER BY id LIMIT 1", agent,
                            turn);
}

bool has_checkpoint(Store& store, AgentId agent, TurnId turn) {
    return has_row(
        store,
        "SELECT 1 FROM checkpoints WHERE agent_id = ? AND turn_id = ? AND cause = 'turn' LIMIT 1",
        agent, turn);
}

std::optional<Checkpoint> newest_checkpoint(Store& store, AgentId agent) {
    return checkpoints.find(store, "WHERE agent_id = ? ORDER BY id DESC LIMIT 1", agent);
}

std::int64_t newest_checkpoint_of_turn(Store& store, AgentId agent) {
    return query_integer(
        store,
        "SELECT id FROM checkpoints WHERE agent_id = ? AND cause = 'turn' ORDER BY id DESC LIMIT 1",
        agent);
}

std::vector<Checkpoint> kept_checkpoints(Store& store, AgentId agent) {
    return checkpoints.all(store, "WHERE agent_id = ? AND tree <> '' ORDER BY id DESC", agent);
}

std::optional<Checkpoint> first_of_rewind_after(Store& store, AgentId agent, std::int64_t id) {
    return checkpoints.find(store, "WHERE agent_id = ? AND id > ? ORDER BY id LIMIT 1", agent,
                            std::max(id, newest_checkpoint_of_turn(store, agent)));
}

}  // namespace chorus::store
