#include "store/tasks.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "store/believed.hpp"
#include "store/sqlite.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr std::array<std::string_view, 5> status_names{"running", "completed", "failed", "killed",
                                                       "lost"};

TaskStatus parse_status(std::string_view text) {
    const auto found = std::find(status_names.begin(), status_names.end(), text);
    return static_cast<TaskStatus>(found - status_names.begin());
}

std::string select(std::string_view condition) {
    return std::string(
               "SELECT agent_id, task_id, turn_id, thread_id, tool_call_id, actor, command, cwd, "
               "pid, pid_start, boot_id, started_at, ended_at, status, coalesce(exit_code, -1), "
               "signal, note, on_exit, goes_on, depth, rights FROM tasks WHERE ")
        .append(condition);
}

Task read(const Statement& statement) {
    Row row(statement);
    Task task;
    task.agent_id = row.integer();
    task.id = row.text();
    task.turn_id = row.integer();
    task.thread_id = row.integer();
    task.tool_call_id = row.text();
    task.actor = row.text();
    task.command = row.text();
    task.directory = row.text();
    task.pid = row.integer();
    task.pid_start = row.integer();
    task.boot_id = row.text();
    task.started_at = row.integer();
    task.ended_at = row.integer();
    task.status = parse_status(row.view());
    task.exit_code = static_cast<int>(row.integer());
    task.signal = static_cast<int>(row.integer());
    task.note = row.text();
    task.on_exit = row.text();
    task.goes_on = row.integer() != 0;
    task.depth = row.integer();
    task.rights = row.text();
    return task;
}

// Few turns find any task, and preparing this is faster than with all columns. Ordered as the ids
// are assigned: task_1000 comes after task_999.
std::string select_ids(std::string_view condition) {
    return std::string("SELECT task_id FROM tasks WHERE agent_id = ?1 AND ")
        .append(condition)
        .append(" ORDER BY length(task_id), task_id");
}

// The open cursor `ids` keeps all reads on one snapshot.
std::vector<Task> tasks_of(Store& store, AgentId agent, Statement& ids) {
    std::vector<Task> tasks;
    while (ids.step())
        if (auto task = find_task(store, agent, ids.view(0))) tasks.push_back(std::move(*task));
    return tasks;
}

}  // namespace

std::string outcome(const Task& task) {
    if (task.ended_at == 0) return "running";
    if (task.signal != 0) return "ended by signal " + base::signal_name(task.signal);
    if (task.exit_code >= 0) return "exit status " + std::to_string(task.exit_code);
    return std::string(name(task.status));
}

std::string task_id(std::int64_t number) {
    std::array<char, 32> id{};
    std::snprintf(id.data(), id.size(), "task_%03lld", static_cast<long long>(number));
    return id.data();
}

std::int64_t next_task_number(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT coalesce(max(CAST(substr(task_id, 6) AS INTEGER)), 0) + 1 FROM tasks "
        "WHERE agent_id = ?");
    return statement.bind(agent).step() ? statement.integer(0) : 1;
}

std::string_view name(TaskStatus status) {
    return status_names[static_cast<std::size_t>(status)];
}

void insert_task(Store& store, const Task& task) {
    store
        .prepare(
            "INSERT INTO tasks (agent_id, task_id, turn_id, thread_id, tool_call_id, actor, "
            "command, cwd, pid, pid_start, boot_id, started_at, status, on_exit, goes_on, depth, "
            "rights) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(task.agent_id)
        .bind(task.id)
        .bind_or_null(task.turn_id)
        .bind(task.thread_id)
        .bind(task.tool_call_id)
        .bind(task.actor)
        .bind(task.command)
        .bind(task.directory)
        .bind(task.pid)
        .bind(task.pid_start)
        .bind(task.boot_id)
        .bind(task.started_at)
        .bind(name(task.status))
        .bind(task.on_exit)
        .bind(task.goes_on)
        .bind(task.depth)
        .bind(task.rights)
        .run();
}

bool end_task(Store& store, const Task& task) {
    Statement statement = store.prepare(
        "UPDATE tasks SET status = ?, ended_at = ?, exit_code = ?, signal = ?, note = ? "
        "WHERE agent_id = ? AND task_id = ? AND ended_at IS NULL");
    statement.bind(name(task.status)).bind(task.ended_at);
    if (task.exit_code >= 0)
        statement.bind(task.exit_code);
    else
        statement.bind_null();
    statement.bind_or_null(std::int64_t{task.signal})
        .bind(task.note)
        .bind(task.agent_id)
        .bind(task.id)
        .run();
    return store.changed_rows() > 0;
}

std::optional<Task> find_task(Store& store, AgentId agent, std::string_view id) {
    Statement statement = store.prepare(select("agent_id = ? AND task_id = ?"));
    if (!statement.bind(agent).bind(id).step()) return std::nullopt;
    return read(statement);
}

std::optional<Task> find_task_of_call(Store& store, TurnId turn, std::string_view tool_call_id) {
    Statement statement = store.prepare(
        select("agent_id = (SELECT agent_id FROM turns WHERE id = ?1) AND turn_id = ?1 AND "
               "tool_call_id = ?2"));
    if (!statement.bind(turn).bind(tool_call_id).step()) return std::nullopt;
    return read(statement);
}

std::vector<Task> running_tasks(Store& store, AgentId agent) {
    Statement ids = store.prepare(select_ids("ended_at IS NULL"));
    return tasks_of(store, agent, ids.bind(agent));
}

std::vector<Task> ended_tasks(Store& store, AgentId agent, base::TimeMs since) {
    Statement ids = store.prepare(select_ids("ended_at > ?2"));
    return tasks_of(store, agent, ids.bind(agent).bind(since));
}

std::vector<Task> tasks_ended_since_turn(Store& store, AgentId agent, ThreadId thread) {
    Statement ids =
        store.prepare(select_ids("ended_at <= ?3 AND ended_at > (SELECT started_at FROM turns "
                                 "WHERE agent_id = ?1 AND thread_id = ?2 AND started_at <= ?3 "
                                 "ORDER BY turn_number DESC LIMIT 1)"));
    return tasks_of(store, agent, ids.bind(agent).bind(thread).bind(sys::now_ms() + most_ahead_ms));
}

}  // namespace chorus::store
