#include "store/threads.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr std::size_t stamp_digits = 14;  // base::compact_utc

std::string select(std::string_view condition) {
    return std::string(
               "SELECT thread.agent_id, thread.thread_id, thread.branch, thread.parent_thread, "
               "thread.branch_point, thread.summary, thread.status, thread.window_start, "
               "thread.window_floor, thread.cut_rolling_window, thread.cut_max_messages, "
               "thread.cut_token_budget, thread.compaction, thread.created_at, "
               "thread.last_activity, turn.current_step FROM threads AS thread "
               "LEFT JOIN turns AS turn ON turn.agent_id = thread.agent_id "
               "AND turn.thread_id = thread.thread_id AND turn.ended_at IS NULL "
               "WHERE thread.agent_id = ? AND NOT thread.is_importing ")
        .append(condition);
}

Thread read(const Statement& statement) {
    Row row(statement);
    Thread thread;
    thread.agent_id = row.integer();
    thread.id = row.integer();
    thread.branch = row.text();
    thread.parent_thread = row.integer();
    thread.branch_point = row.integer();
    thread.summary = row.text();
    thread.status = row.text();
    thread.window_start = row.integer();
    thread.window_floor = row.integer();
    thread.cut_limits.rolling_window_ms = row.integer();
    thread.cut_limits.max_messages = row.integer();
    thread.cut_limits.token_budget = row.integer();
    thread.compaction = row.integer();
    thread.created_at = row.integer();
    thread.last_activity = row.integer();
    thread.current_step = row.text();
    return thread;
}

std::optional<Thread> read_first(Statement& statement) {
    if (!statement.step()) return std::nullopt;
    return read(statement);
}

ThreadId next_thread_id(Store& store, AgentId agent) {
    Statement statement =
        store.prepare("SELECT coalesce(max(thread_id), 0) + 1 FROM threads WHERE agent_id = ?");
    statement.bind(agent).step();
    return statement.integer(0);
}

}  // namespace

std::string given_name(std::string_view branch) {
    const bool has_stamp =
        branch.size() > stamp_digits + 1 && branch[stamp_digits] == '-' &&
        branch.substr(0, stamp_digits).find_first_not_of("0123456789") == std::string_view::npos;
    return std::string(has_stamp ? branch.substr(stamp_digits + 1) : branch);
}

std::optional<Thread> find_thread(Store& store, AgentId agent, ThreadId id) {
    Statement statement = store.prepare(select("AND thread.thread_id = ?"));
    return read_first(statement.bind(agent).bind(id));
}

std::optional<Thread> find_thread_of_branch(Store& store, AgentId agent, std::string_view branch) {
    Statement statement =
        store.prepare(select("AND thread.branch = ? ORDER BY thread.thread_id LIMIT 1"));
    return read_first(statement.bind(agent).bind(branch));
}

std::vector<Thread> list_threads(Store& store, AgentId agent) {
    Statement statement = store.prepare(select("ORDER BY thread.thread_id"));
    statement.bind(agent);
    std::vector<Thread> threads;
    while (statement.step()) threads.push_back(read(statement));
    return threads;
}

Thread insert_thread(Store& store, const Thread& thread) {
    Thread inserted = thread;
    if (inserted.id == 0) inserted.id = next_thread_id(store, thread.agent_id);
    store
        .prepare(
            "INSERT INTO threads (agent_id, thread_id, branch, parent_thread, branch_point, "
            "summary, status, "
            "window_start, window_floor, created_at, last_activity) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(inserted.agent_id)
        .bind(inserted.id)
        .bind(inserted.branch)
        .bind_or_null(inserted.parent_thread)
        .bind_or_null(inserted.branch_point)
        .bind(inserted.summary)
        .bind(inserted.status)
        .bind(inserted.window_start)
        .bind(inserted.window_start)
        .bind(inserted.created_at)
        .bind(inserted.last_activity)
        .run();
    return inserted;
}

void set_thread_status(Store& store, AgentId agent, ThreadId id, std::string_view status,
                       base::TimeMs now) {
    store
        .prepare(
            "UPDATE threads SET status = ?, last_activity = ? WHERE agent_id = ? AND thread_id = ?")
        .bind(status)
        .bind(now)
        .bind(agent)
        .bind(id)
        .run();
}

void set_cut(Store& store, const Thread& thread) {
    store
        .prepare(
            "UPDATE threads SET window_start = ?, cut_rolling_window = ?, cut_max_messages = ?, "
            "cut_token_budget = ? WHERE agent_id = ? AND thread_id = ?")
        .bind(thread.window_start)
        .bind(thread.cut_limits.rolling_window_ms)
        .bind(thread.cut_limits.max_messages)
        .bind(thread.cut_limits.token_budget)
        .bind(thread.agent_id)
        .bind(thread.id)
        .run();
}

void set_window_floor(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    store.prepare("UPDATE threads SET window_floor = ? WHERE agent_id = ? AND thread_id = ?")
        .bind(message_id)
        .bind(agent)
        .bind(id)
        .run();
}

void set_branch_point(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    store.prepare("UPDATE threads SET branch_point = ? WHERE agent_id = ? AND thread_id = ?")
        .bind(message_id)
        .bind(agent)
        .bind(id)
        .run();
}

void set_compaction(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    store.prepare("UPDATE threads SET compaction = ? WHERE agent_id = ? AND thread_id = ?")
        .bind(message_id)
        .bind(agent)
        .bind(id)
        .run();
}

}  // namespace chorus::store
