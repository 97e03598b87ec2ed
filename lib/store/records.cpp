#include "store/records.hpp"

#include <algorithm>

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

namespace {

EventRow read_event(const Statement& statement) {
    Row row(statement);
    EventRow event;
    event.id = row.integer();
    event.agent_id = row.integer();
    event.thread_id = row.integer();
    event.turn_id = row.integer();
    event.at = row.integer();
    event.kind = row.text();
    event.previous = row.text();
    event.next = row.text();
    event.cause = row.text();
    event.data = row.text();
    return event;
}

// Returns the id of the newest event older than `since`.
std::int64_t newest_before(Store& store, AgentId agent, base::TimeMs since) {
    if (since <= 0) return 0;
    Statement statement =
        store.prepare("SELECT id, at FROM events WHERE agent_id = ? ORDER BY id DESC");
    statement.bind(agent);
    while (statement.step())
        if (statement.integer(1) < since) return statement.integer(0);
    return 0;
}

}  // namespace

void for_each_event(Store& store, const EventFilter& filter,
                    const std::function<bool(const EventRow&)>& use) {
    const std::int64_t after =
        std::max(filter.after, newest_before(store, filter.agent, filter.since));
    Statement statement = store.prepare(
        "SELECT id, agent_id, thread_id, turn_id, at, kind, previous, next, cause, data "
        "FROM events WHERE agent_id = ? AND id > ? ORDER BY id");
    statement.bind(filter.agent).bind(after);
    while (statement.step() && use(read_event(statement))) {
    }
}

std::vector<EventRow> load_events(Store& store, AgentId agent) {
    std::vector<EventRow> rows;
    for_each_event(store, {.agent = agent}, [&](const EventRow& row) {
        rows.push_back(row);
        return true;
    });
    return rows;
}

base::TimeMs began_work_at(Store& store, AgentId agent, TurnId turn) {
    Statement statement = store.prepare(
        "SELECT at FROM events WHERE agent_id = ? AND turn_id = ? AND kind = 'turn' AND "
        "next = 'working' ORDER BY id DESC LIMIT 1");
    return statement.bind(agent).bind(turn).step() ? statement.integer(0) : 0;
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

bool is_in_inbox(Store& store, const InboxRow& row) {
    Statement statement = store.prepare(
        "SELECT 1 FROM inbox WHERE agent_id = ? AND thread_id = ? AND created_at = ? AND content = "
        "?");
    return statement.bind(row.agent_id)
        .bind(row.thread_id)
        .bind(row.created_at)
        .bind(row.content)
        .step();
}

std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread) {
    // Most threads have none, so the longer statement is prepared only when there is one.
    Statement any = store.prepare(
        "SELECT 1 FROM inbox WHERE agent_id = ? AND thread_id = ? AND delivered_turn IS NULL");
    if (!any.bind(agent).bind(thread).step()) return {};
    Statement statement = store.prepare(
        "SELECT id, agent_id, thread_id, source, actor, content, created_at, depth, rights, "
        "EXISTS (SELECT 1 FROM tasks WHERE tasks.agent_id = inbox.agent_id AND goes_on = 1 "
        "AND inbox.source GLOB 'task *' AND task_id = substr(inbox.source, 6)) FROM inbox WHERE "
        "agent_id = ? AND thread_id = ? AND "
        "delivered_turn IS NULL ORDER BY id");
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
                        .rights = statement.text(8),
                        .begins_turn = statement.integer(9) != 0});
    return rows;
}

std::int64_t drop_undelivered(Store& store, AgentId agent) {
    store.prepare("DELETE FROM inbox WHERE agent_id = ? AND delivered_turn IS NULL")
        .bind(agent)
        .run();
    return store.changed_rows();
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

std::int64_t insert_outbox(Store& store, AgentId agent, TurnId turn, std::string_view content) {
    store.prepare("INSERT INTO outbox (agent_id, turn_id, content) VALUES (?, ?, ?)")
        .bind(agent)
        .bind_or_null(turn)
        .bind(content)
        .run();
    return store.last_insert_id();
}

std::optional<std::string> take_from_outbox(Store& store, AgentId agent, std::int64_t newest) {
    Statement statement = store.prepare(
        "SELECT id, content FROM outbox WHERE agent_id = ? AND id <= ? ORDER BY id LIMIT 1");
    if (!statement.bind(agent).bind(newest).step()) return std::nullopt;
    std::string content = statement.text(1);
    store.prepare("DELETE FROM outbox WHERE id = ?").bind(statement.integer(0)).run();
    return content;
}

}  // namespace chorus::store
