#include "store/trim.hpp"

#include <algorithm>
#include <mutex>

#include "store/believed.hpp"
#include "store/gate.hpp"
#include "store/known.hpp"
#include "store/messages.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr int most_rows = 500;
constexpr int most_pages = 1000;
constexpr std::int64_t most_rewritten_bytes = 64 << 20;

bool is_gone(const Agent& agent) {
    return agent.status == AgentStatus::destroyed && !agent.files_kept;
}

// ?1 agent, ?2 thread, ?3 gone, ?4 before, ?5 first id that may be in the window, ?6 the summary,
// ?7 greater ids only, ?8 messages up to this time have left the window, ?9 except ids from this
// one on.
std::string messages_of() {
    return " FROM messages AS message LEFT JOIN turns AS turn ON turn.id = message.turn_id WHERE" +
           std::string(is_known_message) +
           "AND message.agent_id = ?1 AND message.thread_id = ?2 AND message.id > ?7 AND (?3 OR "
           "(message.timestamp < ?4 AND (turn.id IS NULL OR turn.ended_at < ?4) AND message.id <> "
           "?6 AND (message.id < ?5 OR message.compacted_into IS NOT NULL OR (message.timestamp <= "
           "?8 AND message.id < ?9)))) AND NOT EXISTS (SELECT 1 FROM sessions AS session WHERE "
           "session.agent_id = message.agent_id AND session.file_path <> '' AND message.timestamp "
           "BETWEEN "
           "session.window_start AND session.window_end)";
}

struct Reach {
    const Agent& agent;
    base::TimeMs before = 0;
    base::TimeMs after_time = 0;
};

void bind(Store& store, Statement& statement, const Reach& reach, const Thread& thread,
          std::int64_t after) {
    const WindowBounds bounds = bounds_of(reach.agent, thread, reach.after_time);
    const bool is_cleared = bounds.compaction <= bounds.after_message;
    statement.bind(reach.agent.id, thread.id, is_gone(reach.agent), reach.before,
                   std::max(bounds.after_message + 1, bounds.cut),
                   is_cleared ? 0 : bounds.compaction, after, bounds.after_time,
                   first_too_early(store, reach.agent.id));
}

std::vector<std::int64_t> trimmable(Store& store, const Reach& reach, ThreadId thread,
                                    std::int64_t after) {
    // turns, rewinds and clears may have changed the window meanwhile
    const auto agent = find_agent(store, reach.agent.id);
    const auto now = find_thread(store, reach.agent.id, thread);
    std::vector<std::int64_t> ids;
    if (!agent || !now) return ids;
    Statement statement =
        store.prepare("SELECT message.id" + messages_of() + " ORDER BY message.id LIMIT ?10");
    bind(store, statement, {*agent, reach.before, reach.after_time}, *now, after);
    statement.bind(most_rows);
    while (statement.step()) ids.push_back(statement.integer(0));
    return ids;
}

std::int64_t trim_thread(Store& store, const Reach& reach, ThreadId thread) {
    std::int64_t removed = 0;
    for (std::int64_t after = 0;;) {
        Transaction transaction(store);
        const auto ids = trimmable(store, reach, thread, after);
        if (ids.empty()) return removed;
        for (const std::int64_t id : ids) delete_message(store, id);
        run(store,
            "UPDATE threads SET trimmed = max(trimmed, ?) WHERE agent_id = ? AND thread_id = ?",
            ids.back(), reach.agent.id, thread);
        transaction.commit();
        removed += static_cast<std::int64_t>(ids.size());
        after = ids.back();
    }
}

// ?1 agent, ?2 gone, ?3 before.
// An agent's newest event stays, so that no later one gets its number.
constexpr std::string_view events_of =
    " FROM events WHERE agent_id = ?1 AND (?2 OR (at < ?3 AND id < (SELECT max(id) FROM events "
    "WHERE agent_id = ?1)))";
constexpr std::string_view steps_of =
    " FROM steps WHERE turn_id IN (SELECT id FROM turns WHERE agent_id = ?1 AND ended_at IS NOT "
    "NULL AND (?2 OR ended_at < ?3))";

std::int64_t count(Store& store, std::string_view rows, const Reach& reach) {
    return query_integer(store, "SELECT count(*)" + std::string(rows), reach.agent.id,
                         is_gone(reach.agent), reach.before);
}

std::int64_t remove_rows(Store& store, const std::string& sql, const Reach& reach) {
    for (std::int64_t removed = 0;;) {
        Transaction transaction(store);
        const std::int64_t changed =
            run(store, sql, reach.agent.id, is_gone(reach.agent), reach.before, most_rows);
        transaction.commit();
        removed += changed;
        if (changed < most_rows) return removed;
    }
}

}  // namespace

Trimmed count_trimmable(Store& store, const Agent& agent, base::TimeMs before,
                        base::TimeMs after_time) {
    const Reach reach{agent, before, after_time};
    Trimmed all{0, count(store, events_of, reach), count(store, steps_of, reach)};
    for (const Thread& thread : list_threads(store, agent.id)) {
        Statement statement = store.prepare("SELECT count(*)" + messages_of());
        bind(store, statement, reach, thread, 0);
        statement.step();
        all.messages += statement.integer(0);
    }
    return all;
}

Trimmed trim(Store& store, const Agent& agent, base::TimeMs before, base::TimeMs after_time) {
    const Reach reach{agent, before, after_time};
    Trimmed all;
    for (const Thread& thread : list_threads(store, agent.id))
        all.messages += trim_thread(store, reach, thread.id);
    all.events = remove_rows(store,
                             "DELETE FROM events WHERE agent_id = ?1 AND id IN (SELECT id" +
                                 std::string(events_of) + " LIMIT ?4)",
                             reach);
    all.steps = remove_rows(
        store,
        "DELETE FROM steps WHERE (turn_id, step_number) IN (SELECT turn_id, step_number" +
            std::string(steps_of) + " LIMIT ?4)",
        reach);
    return all;
}

std::int64_t newest_trimmed(Store& store, AgentId agent, ThreadId thread) {
    return query_integer(store, "SELECT trimmed FROM threads WHERE agent_id = ? AND thread_id = ?",
                         agent, thread);
}

std::int64_t release_pages(Store& store, const std::string& gate_path) {
    const auto size = [&] {
        return query_integer(store.handle(), "PRAGMA page_count") *
               query_integer(store.handle(), "PRAGMA page_size");
    };
    const std::int64_t before = size();
    // a file with auto_vacuum has a few pages more, so the size may grow
    const auto saved = [&] { return std::max<std::int64_t>(before - size(), 0); };
    if (query_integer(store.handle(), "PRAGMA auto_vacuum") == 0) {
        if (before > most_rewritten_bytes) return 0;
        Gate gate(gate_path);
        const std::lock_guard passage(gate);
        execute(store.handle(), "PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
        return saved();
    }
    while (query_integer(store.handle(), "PRAGMA freelist_count") > 0) {
        Transaction transaction(store);
        execute(store.handle(), "PRAGMA incremental_vacuum(" + std::to_string(most_pages) + ")");
        transaction.commit();
    }
    return saved();
}

}  // namespace chorus::store
