#include "store/threads.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr std::size_t stamp_digits = 14;  // base::compact_utc

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
    return thread;
}

std::string current_step(Store& store, const Thread& thread) {
    Statement statement = store.prepare(
        "SELECT current_step FROM turns WHERE agent_id = ? AND thread_id = ? AND ended_at IS NULL");
    return statement.bind(thread.agent_id).bind(thread.id).step() ? statement.text(0)
                                                                  : std::string();
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
    Statement statement = store.prepare(
        "SELECT agent_id, thread_id, branch, parent_thread, branch_point, summary, status, "
        "window_start, window_floor, cut_rolling_window, cut_max_messages, cut_token_budget, "
        "compaction, created_at, last_activity FROM threads WHERE agent_id = ? AND thread_id = ? "
        "AND NOT is_importing");
    if (!statement.bind(agent).bind(id).step()) return std::nullopt;
    return read(statement);
}

std::optional<Thread> find_thread_of_branch(Store& store, AgentId agent, std::string_view branch) {
    // like find_agent() by name
    Statement statement = store.prepare(
        "SELECT thread_id FROM threads WHERE agent_id = ? AND NOT is_importing AND branch = ? "
        "ORDER BY thread_id LIMIT 1");
    if (!statement.bind(agent).bind(branch).step()) return std::nullopt;
    return find_thread(store, agent, statement.integer(0));
}

std::vector<Thread> list_threads(Store& store, AgentId agent) {
    // find_thread() has prepared the statement with all columns already.
    Statement statement = store.prepare(
        "SELECT thread_id FROM threads WHERE agent_id = ? AND NOT is_importing ORDER BY thread_id");
    statement.bind(agent);
    std::vector<Thread> threads;
    while (statement.step()) {
        threads.push_back(*find_thread(store, agent, statement.integer(0)));
        if (threads.back().status != "idle")
            threads.back().current_step = current_step(store, threads.back());
    }
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
