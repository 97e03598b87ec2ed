#include "store/tasks.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/believed.hpp"
#include "store/columns.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<TaskStatus, 5> task_statuses{
    {"running", "completed", "failed", "killed", "lost"}};

constexpr Table tasks{
    Source<Task>{"tasks"},
    column("agent_id", &Task::agent_id),
    column("task_id", &Task::id),
    column("turn_id", &Task::turn_id, NullIs{0}),
    column("thread_id", &Task::thread_id),
    column("tool_call_id", &Task::tool_call_id),
    column("actor", &Task::actor),
    column("command", &Task::command),
    column("cwd", &Task::directory),
    column("pid", &Task::pid),
    column("pid_start", &Task::pid_start),
    column("boot_id", &Task::boot_id),
    column("started_at", &Task::started_at),
    read_only("ended_at", &Task::ended_at),
    column("status", &Task::status, ByName{task_statuses, "task status"}),
    read_only("exit_code", &Task::exit_code, NullIs{-1}),
    read_only("signal", &Task::signal),
    read_only("note", &Task::note),
    column("on_exit", &Task::on_exit),
    column("goes_on", &Task::goes_on),
    column("depth", &Task::depth),
    column("rights", &Task::rights),
};

// Few turns find any task, and preparing this is faster than with all columns. Ordered as the ids
// are assigned: task_1000 comes after task_999. The open cursor keeps all reads on one snapshot.
template <typename... Values>
std::vector<Task> tasks_that(Store& store, std::string_view condition, AgentId agent,
                             const Values&... values) {
    // most agents have none; this statement is prepared once, and sooner than the others
    if (!has_row(store, "SELECT 1 FROM tasks WHERE agent_id = ? LIMIT 1", agent)) return {};
    Statement ids = store.prepare(fmt::format(
        "SELECT task_id FROM tasks WHERE agent_id = ?1 AND {} ORDER BY length(task_id), task_id",
        condition));
    ids.bind(agent, values...);
    std::vector<Task> found;
    while (ids.step())
        if (auto task = find_task(store, agent, ids.view(0))) found.push_back(std::move(*task));
    return found;
}

}  // namespace

std::string outcome(const Task& task) {
    if (task.ended_at == 0) return "running";
    if (task.signal != 0) return "ended by signal " + base::signal_name(task.signal);
    if (task.exit_code >= 0) return "exit status " + std::to_string(task.exit_code);
    return std::string(name(task.status));
}

std::string task_id(std::int64_t number) {
    return fmt::format("task_{:03}", number);
}

std::int64_t next_task_number(Store& store, AgentId agent) {
    return query_integer(store,
                         "SELECT coalesce(max(CAST(substr(task_id, 6) AS INTEGER)), 0) + 1 FROM "
                         "tasks WHERE agent_id = ?",
                         agent);
}

std::string_view name(TaskStatus status) {
    return task_statuses.name(status);
}

void insert_task(Store& store, const Task& task) {
    tasks.insert(store, task);
}

bool end_task(Store& store, const Task& task) {
    const auto exit_code = task.exit_code >= 0 ? std::optional(task.exit_code) : std::nullopt;
    return run(store,
               "UPDATE tasks SET status = ?, ended_at = ?, exit_code = ?, signal = ?, note = ? "
               "WHERE agent_id = ? AND task_id = ? AND ended_at IS NULL",
               name(task.status), task.ended_at, exit_code, or_null(task.signal), task.note,
               task.agent_id, task.id) > 0;
}

std::optional<Task> find_task(Store& store, AgentId agent, std::string_view id) {
    return tasks.find(store, "WHERE agent_id = ? AND task_id = ?", agent, id);
}

std::optional<Task> find_task_of_call(Store& store, TurnId turn, std::string_view tool_call_id) {
    return tasks.find(store,
                      "WHERE agent_id = (SELECT agent_id FROM turns WHERE id = ?1) AND turn_id = "
                      "?1 AND tool_call_id = ?2",
                      turn, tool_call_id);
}

std::vector<Task> running_tasks(Store& store, AgentId agent) {
    return tasks_that(store, "ended_at IS NULL", agent);
}

std::vector<Task> lost_sub_agents(Store& store, AgentId agent, base::TimeMs since) {
    return tasks_that(store, "ended_at > ?2 AND status = 'lost' AND tool_call_id <> ''", agent,
                      since);
}

std::vector<Task> ended_tasks(Store& store, AgentId agent, base::TimeMs since) {
    return tasks_that(store, "ended_at > ?2", agent, since);
}

std::vector<Task> tasks_ended_since_turn(Store& store, AgentId agent, ThreadId thread) {
    return tasks_that(
        store,
        "ended_at <= ?3 AND ended_at > (SELECT started_at FROM turns WHERE agent_id = ?1 AND "
        "thread_id = ?2 AND started_at <= ?3 ORDER BY turn_number DESC LIMIT 1)",
        agent, thread, sys::now_ms() + most_ahead_ms);
}

}  // namespace chorus::store
