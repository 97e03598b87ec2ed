#include "store/threads.hpp"

#include <algorithm>

#include "store/columns.hpp"

namespace chorus::store {
namespace {

constexpr std::size_t stamp_digits = 14;  // base::compact_utc

// Takes the later time. A turn does not write its times again in its thread, which saves two pages.
struct LaterOf : AsItIs {
    void read(const Statement& statement, int& column, base::TimeMs& time) const {
        time = std::max(time, statement.integer(column++));
    }
};

constexpr Table threads{
    Source<Thread>{"threads", "threads", " NOT is_importing "},
    column("agent_id", &Thread::agent_id),
    column("thread_id", &Thread::id),
    column("branch", &Thread::branch),
    column("parent_thread", &Thread::parent_thread, NullIs{0}),
    column("branch_point", &Thread::branch_point, NullIs{0}),
    column("summary", &Thread::summary),
    column("window_start", &Thread::window_start),
    column("window_floor", &Thread::window_floor),
    read_only("cut_rolling_window", in(&Thread::cut_limits, &CutLimits::rolling_window_ms)),
    read_only("cut_max_messages", in(&Thread::cut_limits, &CutLimits::max_messages)),
    read_only("cut_token_budget", in(&Thread::cut_limits, &CutLimits::token_budget)),
    read_only("compaction", &Thread::compaction),
    column("created_at", &Thread::created_at),
    column("last_activity", &Thread::last_activity),
    read_only("(SELECT max(started_at, coalesce(ended_at, 0)) FROM turns WHERE turns.agent_id = "
              "threads.agent_id AND turns.thread_id = threads.thread_id ORDER BY turn_number DESC "
              "LIMIT 1)",
              &Thread::last_activity, LaterOf{}),
};

std::vector<Thread> threads_of(Store& store, AgentId agent, const std::vector<ThreadId>& ids) {
    std::vector<Thread> listed;
    for (const ThreadId id : ids) {
        // prepared for the turn's own thread already
        auto thread = find_thread(store, agent, id);
        if (!thread) continue;
        Statement open = store.prepare(
            "SELECT CASE state WHEN 'prompt' THEN 'waiting_for_permission' WHEN 'parked' THEN "
            "'idle' ELSE 'running' END, 'step ' || max(iterations, 1) || iif(current_step = '', "
            "'', ', ' || current_step) FROM turns WHERE agent_id = ? AND thread_id = ? AND "
            "ended_at IS NULL");
        if (open.bind(agent, id).step()) {
            thread->status = open.text(0);
            if (thread->status != "idle") thread->current_step = open.text(1);
        }
        listed.push_back(std::move(*thread));
    }
    return listed;
}

}  // namespace

std::string given_name(std::string_view branch) {
    const bool has_stamp =
        branch.size() > stamp_digits + 1 && branch[stamp_digits] == '-' &&
        branch.substr(0, stamp_digits).find_first_not_of("0123456789") == std::string_view::npos;
    return std::string(has_stamp ? branch.substr(stamp_digits + 1) : branch);
}

std::optional<Thread> find_thread(Store& store, AgentId agent, ThreadId id) {
    return threads.find(store, "WHERE agent_id = ? AND thread_id = ?", agent, id);
}

std::optional<Thread> find_thread_of_branch(Store& store, AgentId agent, std::string_view branch) {
    Statement statement = store.prepare(
        "SELECT thread_id FROM threads WHERE agent_id = ? AND branch = ? AND NOT is_importing "
        "ORDER BY thread_id LIMIT 1");
    if (!statement.bind(agent, branch).step()) return std::nullopt;
    return find_thread(store, agent, statement.integer(0));
}

std::vector<Thread> list_threads(Store& store, AgentId agent) {
    return threads_of(
        store, agent,
        query_integers(store,
                       "SELECT thread_id FROM threads WHERE agent_id = ? AND thread_id < ? AND NOT "
                       "is_importing ORDER BY thread_id",
                       agent, first_ephemeral_thread));
}

std::vector<Thread> list_recent_threads(Store& store, AgentId agent, ThreadId except,
                                        std::size_t newest) {
    std::vector<ThreadId> ids = query_integers(
        store, "SELECT thread_id FROM turns WHERE agent_id = ? AND ended_at IS NULL", agent);
    for (const ThreadId id :
         query_integers(store,
                        "SELECT thread_id FROM threads WHERE agent_id = ? AND thread_id < ? AND "
                        "thread_id <> ? AND NOT is_importing ORDER BY thread_id DESC LIMIT ?",
                        agent, first_ephemeral_thread, except, static_cast<std::int64_t>(newest)))
        ids.push_back(id);
    std::erase_if(ids, [&](ThreadId id) { return id == except || id >= first_ephemeral_thread; });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return threads_of(store, agent, ids);
}

std::int64_t count_threads(Store& store, AgentId agent) {
    return query_integer(store,
                         "SELECT count(*) FROM threads WHERE agent_id = ? AND thread_id < ? AND "
                         "NOT is_importing",
                         agent, first_ephemeral_thread);
}

Thread insert_thread(Store& store, const Thread& thread) {
    Thread inserted = thread;
    if (inserted.id == 0)
        inserted.id = query_integer(
            store,
            "SELECT coalesce(max(thread_id), 0) + 1 FROM threads WHERE agent_id = ? AND thread_id "
            "< ?",
            thread.agent_id, first_ephemeral_thread);
    inserted.window_floor = inserted.window_start;
    threads.insert(store, inserted);
    return inserted;
}

void set_cut(Store& store, const Thread& thread) {
    run(store,
        "UPDATE threads SET window_start = ?, cut_rolling_window = ?, cut_max_messages = ?, "
        "cut_token_budget = ? WHERE agent_id = ? AND thread_id = ?",
        thread.window_start, thread.cut_limits.rolling_window_ms, thread.cut_limits.max_messages,
        thread.cut_limits.token_budget, thread.agent_id, thread.id);
}

void set_window_floor(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    run(store, "UPDATE threads SET window_floor = ? WHERE agent_id = ? AND thread_id = ?",
        message_id, agent, id);
}

void set_branch_point(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    run(store, "UPDATE threads SET branch_point = ? WHERE agent_id = ? AND thread_id = ?",
        message_id, agent, id);
}

void begin_summary(Store& store, AgentId agent, ThreadId id, std::string_view summary) {
    run(store,
        "UPDATE threads SET summary = ? WHERE agent_id = ? AND thread_id = ? AND summary = ''",
        summary, agent, id);
}

void clear_summaries(Store& store, AgentId agent) {
    run(store, "UPDATE threads SET summary = '' WHERE agent_id = ? AND summary <> ''", agent);
}

void set_compaction(Store& store, AgentId agent, ThreadId id, std::int64_t message_id) {
    run(store, "UPDATE threads SET compaction = ? WHERE agent_id = ? AND thread_id = ?", message_id,
        agent, id);
}

}  // namespace chorus::store
