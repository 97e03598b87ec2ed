#include "store/checkpoints.hpp"

#include <algorithm>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, agent_id, turn_id, cause, made_at, tree, problem, store_bytes "
               "FROM checkpoints WHERE agent_id = ? ")
        .append(condition);
}

Checkpoint read(const Statement& statement) {
    Row row(statement);
    Checkpoint checkpoint;
    checkpoint.id = row.integer();
    checkpoint.agent_id = row.integer();
    checkpoint.turn_id = row.integer();
    checkpoint.of_rewind = row.view() == "rewind";
    checkpoint.made_at = row.integer();
    checkpoint.tree = row.text();
    checkpoint.problem = row.text();
    checkpoint.store_bytes = row.integer();
    return checkpoint;
}

std::optional<Checkpoint> read_first(Statement& statement) {
    if (!statement.step()) return std::nullopt;
    return read(statement);
}

}  // namespace

void insert_checkpoint(Store& store, Checkpoint& checkpoint) {
    store
        .prepare(
            "INSERT INTO checkpoints (agent_id, turn_id, cause, made_at, tree, problem, "
            "store_bytes) VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(checkpoint.agent_id)
        .bind(checkpoint.turn_id)
        .bind(checkpoint.of_rewind ? "rewind" : "turn")
        .bind(checkpoint.made_at)
        .bind(checkpoint.tree)
        .bind(checkpoint.problem)
        .bind(checkpoint.store_bytes)
        .run();
    checkpoint.id = store.last_insert_id();
}

void remove_checkpoint(Store& store, std::int64_t id, std::string_view why) {
    store.prepare("UPDATE checkpoints SET tree = '', problem = ? WHERE id = ?")
        .bind(why)
        .bind(id)
        .run();
}

std::optional<Checkpoint> find_checkpoint(Store& store, AgentId agent, std::int64_t id) {
    Statement statement = store.prepare(select("AND id = ?"));
    return read_first(statement.bind(agent).bind(id));
}

std::optional<Checkpoint> checkpoint_before(Store& store, AgentId agent, TurnId turn) {
    Statement statement = store.prepare(select("AND turn_id >= ? ORDER BY id LIMIT 1"));
    return read_first(statement.bind(agent).bind(turn));
}

bool has_checkpoint(Store& store, AgentId agent, TurnId turn) {
    Statement statement = store.prepare(select("AND turn_id = ? AND cause = 'turn' LIMIT 1"));
    return statement.bind(agent).bind(turn).step();
}

std::optional<Checkpoint> newest_checkpoint(Store& store, AgentId agent) {
    Statement statement = store.prepare(select("ORDER BY id DESC LIMIT 1"));
    return read_first(statement.bind(agent));
}

std::int64_t newest_checkpoint_of_turn(Store& store, AgentId agent) {
    Statement statement = store.prepare(select("AND cause = 'turn' ORDER BY id DESC LIMIT 1"));
    const auto newest = read_first(statement.bind(agent));
    return newest ? newest->id : 0;
}

std::vector<Checkpoint> kept_checkpoints(Store& store, AgentId agent) {
    Statement statement = store.prepare(select("AND tree <> '' ORDER BY id DESC"));
    statement.bind(agent);
    std::vector<Checkpoint> all;
    while (statement.step()) all.push_back(read(statement));
    return all;
}

std::optional<Checkpoint> first_of_rewind_after(Store& store, AgentId agent, std::int64_t id) {
    Statement statement = store.prepare(select("AND id > ? ORDER BY id LIMIT 1"));
    return read_first(
        statement.bind(agent).bind(std::max(id, newest_checkpoint_of_turn(store, agent))));
}

}  // namespace chorus::store
