// Background tasks: commands that outlive the turn which started them, each under a supervisor of
// its own (chorus-tasks(1), TASKS). A task is alive as long as its supervisor holds its lock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/tasks.hpp"
#include "sys/sandbox.hpp"

namespace chorus::task {

// Where an agent's tasks are kept.
struct Site {
    agent::Home home;
    agent::Directory directory;
    store::Store& store;
    store::AgentId agent = 0;
};

// What to start; of `about` the command, directory, turn, thread, call, actor, on_exit, goes_on,
// depth and rights count, the rest comes to be.
struct Order {
    store::Task about;
    std::vector<std::string> environment;  // of the command: scrubbed
    sys::Sandbox sandbox;
    std::int64_t timeout_ms = 0;  // 0: none
};
// Returns once the command runs. Error(limit) where as many as there may be run already,
// Error(failed) where it could not be started; what of it is on record then says so.
store::Task start(const Site& site, const Order& order);

// Tasks whose supervisor is gone become `lost`. Before any list of tasks is read; writes only then.
void settle(const Site& site);
// The one of that id, "task_007" or "7", settled. Error(not_found) that names those there are.
store::Task require_task(const Site& site, std::string_view id);

// The row as it is when the task has ended; nothing where `wait_ms` (negative: for ever) is over
// before, or `stop` says so.
std::optional<store::Task> wait(const Site& site, const std::string& id, std::int64_t wait_ms,
                                const std::function<bool()>& stop);
// SIGTERM to the command's process group, after `grace_ms` SIGKILL to all it has left; all of them
// at once. The rows as they are then; one that had ended stays as it was.
std::vector<store::Task> end(const Site& site, const std::vector<store::Task>& tasks,
                             std::int64_t grace_ms);

// running_tasks of agent.json says what runs: {"id", "command", "started_at", "pid", "status"}.
// Nothing is written where it does so already, or where agent.json is not to be had.
void mirror(const Site& site);

// What a supervisor does; `order` is what start() wrote for it. Returns when the task is over.
void supervise(const std::string& order);

}  // namespace chorus::task
