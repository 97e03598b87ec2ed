#include "store/named.hpp"

#include "store/columns.hpp"

namespace chorus::store {
namespace {

// 0xff never occurs in a name, because names are UTF-8.
std::string end_of(std::string_view beginning) {
    return std::string(beginning) + "\xff";
}

Named read(const Statement& row) {
    return {row.text(0), row.text(1)};
}

constexpr Table thread_names{
    Source<Thread>{"threads"},
    read_only("agent_id", &Thread::agent_id),
    read_only("thread_id", &Thread::id),
    read_only("branch", &Thread::branch),
    read_only("parent_thread", &Thread::parent_thread),
    read_only("branch_point", &Thread::branch_point),
    read_only("substr(summary, 1, 200)", &Thread::summary),
};

}  // namespace

std::vector<Named> named_agents(Store& store, std::string_view beginning) {
    return query_all(
        store,
        "SELECT name, substr(coalesce(nullif(description, ''), model), 1, 200) FROM agents WHERE "
        "kind = 'agent' AND status <> 'destroyed' AND name >= ? AND name < ? ORDER BY name",
        read, beginning, end_of(beginning));
}

std::vector<Named> named_sessions(Store& store, AgentId agent, std::string_view beginning) {
    return query_all(store,
                     "SELECT id, substr(description, 1, 200) FROM sessions WHERE agent_id = ? AND "
                     "id >= ? AND id < ? ORDER BY id",
                     read, agent, beginning, end_of(beginning));
}

std::vector<Named> named_tasks(Store& store, AgentId agent, std::string_view beginning,
                               WhichTasks which) {
    return query_all(
        store,
        "SELECT task_id, status || ': ' || substr(command, 1, 200) FROM tasks WHERE agent_id = ? "
        "AND task_id >= ? AND task_id < ? AND (? OR ended_at IS NULL) ORDER BY task_id",
        read, agent, beginning, end_of(beginning), which == WhichTasks::all);
}

std::vector<Thread> named_threads(Store& store, AgentId agent) {
    return thread_names.all(store, "WHERE agent_id = ? ORDER BY thread_id", agent);
}

}  // namespace chorus::store
