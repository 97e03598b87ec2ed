#include "store/records.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

void insert_event(Store& store, const EventRow& row) {
    store
        .prepare(
            "INSERT INTO events (agent_id, thread_id, turn_id, at, kind, previous, next, cause, "
            "data) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(row.agent_id)
        .bind_or_null(row.thread_id)
        .bind_or_null(row.turn_id)
        .bind(row.at)
        .bind(row.kind)
        .bind(row.previous)
        .bind(row.next)
        .bind(row.cause)
        .bind(row.data)
        .run();
}

std::vector<EventRow> load_events(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT agent_id, thread_id, turn_id, at, kind, previous, next, cause, data FROM events "
        "WHERE agent_id = ? ORDER BY id");
    statement.bind(agent);
    std::vector<EventRow> rows;
    while (statement.step())
        rows.push_back({.agent_id = statement.integer(0),
                        .thread_id = statement.integer(1),
                        .turn_id = statement.integer(2),
                        .at = statement.integer(3),
                        .kind = statement.text(4),
                        .previous = statement.text(5),
                        .next = statement.text(6),
                        .cause = statement.text(7),
                        .data = statement.text(8)});
    return rows;
}

void insert_inbox(Store& store, const InboxRow& row) {
    store
        .prepare(
            "INSERT INTO inbox (agent_id, thread_id, source, actor, content, created_at, "
            "delivered_turn, depth, rights) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(row.agent_id)
        .bind(row.thread_id)
        .bind(row.source)
        .bind(row.actor)
        .bind(row.content)
        .bind(row.created_at)
        .bind_or_null(row.delivered_turn)
        .bind(row.depth)
        .bind(row.rights)
        .run();
}

std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        "SELECT id, agent_id, thread_id, source, actor, content, created_at, depth, rights "
        "FROM inbox WHERE agent_id = ? AND thread_id = ? AND delivered_turn IS NULL ORDER BY id");
    statement.bind(agent).bind(thread);
    std::vector<InboxRow> rows;
    while (statement.step())
        rows.push_back({.id = statement.integer(0),
                        .agent_id = statement.integer(1),
                        .thread_id = statement.integer(2),
                        .source = statement.text(3),
                        .actor = statement.text(4),
                        .content = statement.text(5),
                        .created_at = statement.integer(6),
                        .depth = statement.integer(7),
                        .rights = statement.text(8)});
    return rows;
}

void mark_delivered(Store& store, std::int64_t id, TurnId turn) {
    store.prepare("UPDATE inbox SET delivered_turn = ? WHERE id = ?").bind(turn).bind(id).run();
}

std::vector<std::string> senders(Store& store, TurnId turn) {
    Statement statement =
        store.prepare("SELECT DISTINCT actor FROM inbox WHERE delivered_turn = ? ORDER BY actor");
    statement.bind(turn);
    std::vector<std::string> actors;
    while (statement.step()) actors.push_back(statement.text(0));
    return actors;
}

std::vector<std::string> delivered_rights(Store& store, TurnId turn) {
    Statement statement = store.prepare(
        "SELECT DISTINCT rights FROM inbox WHERE delivered_turn = ? AND rights <> '' "
        "ORDER BY rights");
    statement.bind(turn);
    std::vector<std::string> rights;
    while (statement.step()) rights.push_back(statement.text(0));
    return rights;
}

std::int64_t delivered_depth(Store& store, TurnId turn) {
    Statement statement =
        store.prepare("SELECT coalesce(max(depth), 0) FROM inbox WHERE delivered_turn = ?");
    return statement.bind(turn).step() ? statement.integer(0) : 0;
}

}  // namespace chorus::store
