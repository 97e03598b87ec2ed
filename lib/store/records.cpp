#include "store/records.hpp"

#include <algorithm>

#include "store/columns.hpp"

namespace chorus::store {

namespace {

constexpr Table events{
    Source<EventRow>{"events"},
    column("id", &EventRow::id),
    column("agent_id", &EventRow::agent_id),
    column("thread_id", &EventRow::thread_id, NullIs{0}),
    column("turn_id", &EventRow::turn_id, NullIs{0}),
    column("at", &EventRow::at),
    column("kind", &EventRow::kind),
    column("previous", &EventRow::previous),
    column("next", &EventRow::next),
    column("cause", &EventRow::cause),
    column("data", &EventRow::data),
};

constexpr Table inbox{
    Source<InboxRow>{"inbox"},
    read_only("id", &InboxRow::id),
    column("agent_id", &InboxRow::agent_id),
    column("thread_id", &InboxRow::thread_id),
    column("source", &InboxRow::source),
    column("actor", &InboxRow::actor),
    column("content", &InboxRow::content),
    column("created_at", &InboxRow::created_at),
    column("delivered_turn", &InboxRow::delivered_turn, NullIs{0}),
    column("depth", &InboxRow::depth),
    column("rights", &InboxRow::rights),
    read_only("EXISTS (SELECT 1 FROM tasks WHERE tasks.agent_id = inbox.agent_id AND goes_on = 1 "
              "AND inbox.source GLOB 'task *' AND task_id = substr(inbox.source, 6))",
              &InboxRow::begins_turn),
    column("idempotency_key", &InboxRow::idempotency_key, NullIs{""}),
};

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

void insert_event(Store& store, const EventRow& row) {
    EventRow numbered = row;
    numbered.id = query_integer(
        store, "SELECT coalesce(max(id), 0) + 1 FROM events WHERE agent_id = ?", row.agent_id);
    events.insert(store, numbered);
}

void for_each_event(Store& store, const EventFilter& filter,
                    const std::function<bool(const EventRow&)>& use) {
    const std::int64_t after =
        std::max(filter.after, newest_before(store, filter.agent, filter.since));
    Statement statement = store.prepare(events.select("WHERE agent_id = ? AND id > ? ORDER BY id"));
    statement.bind(filter.agent, after);
    while (statement.step() && use(events.read(statement))) {
    }
}

base::TimeMs began_work_at(Store& store, AgentId agent, TurnId turn) {
    return query_integer(store,
                         "SELECT at FROM events WHERE agent_id = ? AND turn_id = ? AND kind = "
                         "'turn' AND next = 'working' ORDER BY id DESC LIMIT 1",
                         agent, turn);
}

bool insert_inbox(Store& store, const InboxRow& row) {
    if (!row.idempotency_key.empty() && has_inbox_key(store, row.idempotency_key)) return false;
    inbox.insert(store, row);
    return true;
}

bool has_inbox_key(Store& store, std::string_view idempotency_key) {
    return has_row(store, "SELECT 1 FROM inbox WHERE idempotency_key = ?", idempotency_key);
}

bool is_in_inbox(Store& store, const InboxRow& row) {
    return has_row(store,
                   "SELECT 1 FROM inbox WHERE agent_id = ? AND thread_id = ? AND created_at = ? "
                   "AND content = ?",
                   row.agent_id, row.thread_id, row.created_at, row.content);
}

std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread) {
    // Most threads have none, so the longer statement is prepared only when there is one.
    if (!has_row(
            store,
            "SELECT 1 FROM inbox WHERE agent_id = ? AND thread_id = ? AND delivered_turn IS NULL",
            agent, thread))
        return {};
    return inbox.all(store,
                     "WHERE agent_id = ? AND thread_id = ? AND delivered_turn IS NULL ORDER BY id",
                     agent, thread);
}

std::vector<InboxRow> delivered(Store& store, AgentId agent) {
    return inbox.all(store, "WHERE agent_id = ? AND delivered_turn IS NOT NULL ORDER BY id", agent);
}

std::int64_t drop_undelivered(Store& store, AgentId agent) {
    return run(store, "DELETE FROM inbox WHERE agent_id = ? AND delivered_turn IS NULL", agent);
}

void mark_delivered(Store& store, std::int64_t id, TurnId turn) {
    run(store, "UPDATE inbox SET delivered_turn = ? WHERE id = ?", turn, id);
}

std::vector<std::string> senders(Store& store, TurnId turn) {
    return query_texts(
        store, "SELECT DISTINCT actor FROM inbox WHERE delivered_turn = ? ORDER BY actor", turn);
}

std::vector<std::string> delivered_rights(Store& store, TurnId turn) {
    return query_texts(store,
                       "SELECT DISTINCT rights FROM inbox WHERE delivered_turn = ? AND rights <> "
                       "'' ORDER BY rights",
                       turn);
}

std::int64_t delivered_depth(Store& store, TurnId turn) {
    return query_integer(
        store, "SELECT coalesce(max(depth), 0) FROM inbox WHERE delivered_turn = ?", turn);
}

void copy_delivered(Store& store, TurnId turn, const Turn& copy) {
    for (InboxRow& row : inbox.all(store, "WHERE delivered_turn = ? ORDER BY id", turn)) {
        row.agent_id = copy.agent_id;
        row.thread_id = copy.thread_id;
        row.delivered_turn = copy.id;
        row.idempotency_key.clear();
        inbox.insert(store, row);
    }
}

std::int64_t insert_outbox(Store& store, AgentId agent, TurnId turn, std::string_view content) {
    run(store, "INSERT INTO outbox (agent_id, turn_id, content) VALUES (?, ?, ?)", agent,
        or_null(turn), content);
    return store.last_insert_id();
}

std::optional<std::string> take_from_outbox(Store& store, AgentId agent, std::int64_t newest) {
    Statement statement = store.prepare(
        "SELECT id, content FROM outbox WHERE agent_id = ? AND id <= ? ORDER BY id LIMIT 1");
    if (!statement.bind(agent, newest).step()) return std::nullopt;
    std::string content = statement.text(1);
    run(store, "DELETE FROM outbox WHERE id = ?", statement.integer(0));
    return content;
}

}  // namespace chorus::store
