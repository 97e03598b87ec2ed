#include "store/named.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// 0xff never occurs in a name, because names are UTF-8.
std::string end_of(std::string_view beginning) {
    return std::string(beginning) + "\xff";
}

std::vector<Named> read_all(Statement& statement) {
    std::vector<Named> found;
    while (statement.step()) found.push_back({statement.text(0), statement.text(1)});
    return found;
}

}  // namespace

std::vector<Named> named_agents(Store& store, std::string_view beginning) {
    Statement statement = store.prepare(
        "SELECT name, substr(coalesce(nullif(description, ''), model), 1, 200) FROM agents WHERE "
        "kind = 'agent' AND "
        "status <> 'destroyed' AND name >= ? AND name < ? ORDER BY name");
    return read_all(statement.bind(beginning).bind(end_of(beginning)));
}

std::vector<Named> named_sessions(Store& store, AgentId agent, std::string_view beginning) {
    Statement statement = store.prepare(
        "SELECT id, substr(description, 1, 200) FROM sessions WHERE agent_id = ? AND id >= ? AND "
        "id < ? ORDER BY id");
    return read_all(statement.bind(agent).bind(beginning).bind(end_of(beginning)));
}

std::vector<Named> named_tasks(Store& store, AgentId agent, std::string_view beginning,
                               WhichTasks which) {
    Statement statement = store.prepare(
        "SELECT task_id, status || ': ' || substr(command, 1, 200) FROM tasks WHERE agent_id = ? "
        "AND task_id >= ? AND task_id < ? AND (? OR ended_at IS NULL) ORDER BY task_id");
    return read_all(statement.bind(agent)
                        .bind(beginning)
                        .bind(end_of(beginning))
                        .bind(which == WhichTasks::all));
}

std::vector<Thread> named_threads(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT thread_id, branch, parent_thread, branch_point, substr(summary, 1, 200) "
        "FROM threads WHERE agent_id = ? ORDER BY thread_id");
    statement.bind(agent);
    std::vector<Thread> threads;
    while (statement.step()) {
        Row row(statement);
        Thread& thread = threads.emplace_back();
        thread.agent_id = agent;
        thread.id = row.integer();
        thread.branch = row.text();
        thread.parent_thread = row.integer();
        thread.branch_point = row.integer();
        thread.summary = row.text();
    }
    return threads;
}

}  // namespace chorus::store
