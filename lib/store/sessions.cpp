#include "store/sessions.hpp"

#include "store/believed.hpp"
#include "store/columns.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr Table sessions{
    Source<Session>{"sessions"},
    column("id", &Session::id),
    column("agent_id", &Session::agent_id),
    column("agent_name", &Session::agent_name),
    column("description", &Session::description),
    column("summary", &Session::summary),
    column("trigger", &Session::trigger),
    column("saved_at", &Session::saved_at),
    column("message_count", &Session::message_count),
    column("window_start", &Session::window_start, NullIs{0}),
    column("window_end", &Session::window_end, NullIs{0}),
    column("file_path", &Session::file_path),
    column("sha256", &Session::sha256),
};

}  // namespace

void insert_session(Store& store, Session session) {
    // a file that another program wrote need not say when
    if (session.saved_at == 0) session.saved_at = sys::now_ms();
    sessions.insert(store, session, "INSERT OR REPLACE");
}

void set_session_file(Store& store, AgentId agent, std::string_view id, std::string_view path) {
    run(store, "UPDATE sessions SET file_path = ? WHERE agent_id = ? AND id = ?", path, agent, id);
}

void forget_session_file(Store& store, AgentId agent, std::string_view id) {
    run(store, "UPDATE sessions SET file_path = '', sha256 = '' WHERE agent_id = ? AND id = ?",
        agent, id);
}

std::vector<Session> list_sessions(Store& store, AgentId agent, std::int64_t most) {
    return sessions.all(
        store, "WHERE agent_id = ? ORDER BY saved_at > ?, saved_at DESC, rowid DESC LIMIT ?", agent,
        sys::now_ms() + most_ahead_ms, most > 0 ? most : -1);
}

std::vector<Session> list_sessions(Store& store) {
    return sessions.all(store, "ORDER BY agent_id, saved_at");
}

std::vector<Session> find_sessions(Store& store, AgentId agent, std::string_view id_prefix) {
    // 0xff never occurs in an id, because ids are UTF-8
    auto found =
        sessions.all(store, "WHERE agent_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT 2", agent,
                     id_prefix, std::string(id_prefix) + "\xff");
    if (!found.empty() && found.front().id == id_prefix) found.resize(1);
    return found;
}

}  // namespace chorus::store
