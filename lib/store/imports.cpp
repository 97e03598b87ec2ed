#include "store/imports.hpp"

#include "store/parts.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::int64_t take_message_ids(Store& store, std::int64_t count) {
    const std::int64_t last = query_integer(store, newest_given_id);
    keep_message_id(store, last + count);
    return last + 1;
}

void forget_import(Store& store, AgentId agent) {
    run(store, "DELETE FROM imports WHERE agent_id = ?", agent);
}

}  // namespace

void announce_import(Store& store, AgentId agent) {
    run(store, "INSERT INTO imports (agent_id) VALUES (?)", agent);
}

ImportIds begin_import(Store& store, AgentId agent, std::int64_t message_count,
                       std::int64_t turn_count) {
    const ImportIds ids{take_message_ids(store, message_count), next_turn_id(store)};
    run(store,
        "INSERT OR REPLACE INTO imports (agent_id, first_message, last_message, first_turn, "
        "last_turn) VALUES (?, ?, ?, ?, ?)",
        agent, ids.next_message, ids.next_message + message_count - 1, ids.next_turn,
        ids.next_turn + turn_count - 1);
    return ids;
}

void insert_imported_thread(Store& store, const Thread& thread) {
    insert_thread(store, thread);
    run(store, "UPDATE threads SET is_importing = 1 WHERE agent_id = ? AND thread_id = ?",
        thread.agent_id, thread.id);
}

void count_imported_turns(Store& store, AgentId agent, ThreadId thread, std::int64_t count,
                          base::TimeMs newest) {
    run(store, "UPDATE agents SET turn_count = turn_count + ? WHERE id = ?", count, agent);
    run(store,
        "UPDATE threads SET last_activity = max(last_activity, ?) WHERE agent_id = ? AND thread_id "
        "= ?",
        newest, agent, thread);
}

void end_import(Store& store, AgentId agent) {
    run(store, "UPDATE threads SET is_importing = 0 WHERE agent_id = ? AND is_importing", agent);
    forget_import(store, agent);
}

bool has_unended_import(Store& store, AgentId agent) {
    return has_row(store, "SELECT 1 FROM imports WHERE agent_id = ?", agent);
}

// Two processes may do this at the same time, so each transaction looks up the id that it deletes.
void discard_import(Store& store, AgentId agent) {
    if (!has_unended_import(store, agent)) return;
    delete_in_parts(store, agent,
                    "id BETWEEN (SELECT first_message FROM imports WHERE agent_id = ?1) AND "
                    "(SELECT last_message FROM imports WHERE agent_id = ?1)",
                    "id BETWEEN (SELECT first_turn FROM imports WHERE agent_id = ?1) AND (SELECT "
                    "last_turn FROM imports WHERE agent_id = ?1)");
    Transaction transaction(store);
    run(store, "DELETE FROM threads WHERE agent_id = ? AND is_importing", agent);
    forget_import(store, agent);
    transaction.commit();
}

}  // namespace chorus::store
