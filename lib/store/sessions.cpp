#include "store/sessions.hpp"

#include "store/believed.hpp"
#include "store/sqlite.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, agent_id, agent_name, description, summary, trigger, saved_at, "
               "message_count, window_start, window_end, file_path, sha256 FROM sessions ")
        .append(condition);
}

std::vector<Session> read_all(Statement& statement) {
    std::vector<Session> sessions;
    while (statement.step()) {
        Row row(statement);
        Session session;
        session.id = row.text();
        session.agent_id = row.integer();
        session.agent_name = row.text();
        session.description = row.text();
        session.summary = row.text();
        session.trigger = row.text();
        session.saved_at = row.integer();
        session.message_count = row.integer();
        session.window_start = row.integer();
        session.window_end = row.integer();
        session.file_path = row.text();
        session.sha256 = row.text();
        sessions.push_back(std::move(session));
    }
    return sessions;
}

}  // namespace

void insert_session(Store& store, const Session& session) {
    store
        .prepare(
            "INSERT OR REPLACE INTO sessions (agent_id, id, agent_name, description, summary, "
            "trigger, "
            "saved_at, message_count, window_start, window_end, file_path, sha256) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(session.agent_id)
        .bind(session.id)
        .bind(session.agent_name)
        .bind(session.description)
        .bind(session.summary)
        .bind(session.trigger)
        .bind(session.saved_at)
        .bind(session.message_count)
        .bind_or_null(session.window_start)
        .bind_or_null(session.window_end)
        .bind(session.file_path)
        .bind(session.sha256)
        .run();
}

void set_session_file(Store& store, AgentId agent, std::string_view id, std::string_view path) {
    store.prepare("UPDATE sessions SET file_path = ? WHERE agent_id = ? AND id = ?")
        .bind(path)
        .bind(agent)
        .bind(id)
        .run();
}

void forget_session_file(Store& store, AgentId agent, std::string_view id) {
    store.prepare("UPDATE sessions SET file_path = '', sha256 = '' WHERE agent_id = ? AND id = ?")
        .bind(agent)
        .bind(id)
        .run();
}

std::vector<Session> list_sessions(Store& store, AgentId agent, std::int64_t most) {
    Statement statement =
        store.prepare(select("WHERE agent_id = ? ORDER BY saved_at > ?, saved_at DESC, rowid DESC "
                             "LIMIT ?"));
    return read_all(
        statement.bind(agent).bind(sys::now_ms() + most_ahead_ms).bind(most > 0 ? most : -1));
}

std::vector<Session> list_sessions(Store& store) {
    Statement statement = store.prepare(select("ORDER BY agent_id, saved_at"));
    return read_all(statement);
}

std::vector<Session> find_sessions(Store& store, AgentId agent, std::string_view id_prefix) {
    Statement statement =
        store.prepare(select("WHERE agent_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT 2"));
    // 0xff never occurs in an id, because ids are UTF-8
    const std::string end = std::string(id_prefix) + "\xff";
    std::vector<Session> found = read_all(statement.bind(agent).bind(id_prefix).bind(end));
    if (!found.empty() && found.front().id == id_prefix) found.resize(1);
    return found;
}

}  // namespace chorus::store
