#include "store/sessions.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

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

std::vector<Session> list_sessions(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT id, agent_id, agent_name, description, summary, trigger, saved_at, message_count, "
        "window_start, "
        "window_end, file_path, sha256 FROM sessions WHERE agent_id = ? ORDER BY saved_at DESC, "
        "id");
    statement.bind(agent);
    std::vector<Session> sessions;
    while (statement.step())
        sessions.push_back({.id = statement.text(0),
                            .agent_id = statement.integer(1),
                            .agent_name = statement.text(2),
                            .description = statement.text(3),
                            .summary = statement.text(4),
                            .trigger = statement.text(5),
                            .saved_at = statement.integer(6),
                            .message_count = statement.integer(7),
                            .window_start = statement.integer(8),
                            .window_end = statement.integer(9),
                            .file_path = statement.text(10),
                            .sha256 = statement.text(11)});
    return sessions;
}

}  // namespace chorus::store
