// Background tasks: commands that outlive the turn which started them, each under a supervisor of
// its own (chorus-tasks(1), TASKS). A task is alive as long as its lock is held: by its supervisor,
// and by the watcher that ends with the last of its processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/tasks.hpp"
#include "sys/environment.hpp"
#include "sys/sandbox.hpp"

namespace chorus::task {

// Where an agent's tasks are kept.
struct Site {
    agent::Home home;
    agent::Directory directory;
    store::Store& store;
    store::AgentId agent = 0;
};

// What to start. Of `about` the command, its directory, turn, thread, call, actor, on_exit, goes_on
// and rights count; the rest comes to be.
struct Order {
    store::Task about;
    std::vector<std::string> environment;  // of the command: scrubbed
    sys::Sandbox sandbox;
    std::int64_t timeout_ms = 0;            // 0: none
    std::int64_t grace_ms = 0;              // from SIGTERM to SIGKILL where it is asked to end
    std::vector<std::string> secrets = {};  // which its logs do not hold
};
// Returns the row once the command runs. Error(limit) where as many run as there may be, or where
// too many tasks led to it one after another; Error(failed) where it could not be started, and the
// row, where there is one, says so. `own` is the environment of this process.
store::Task start(const Site& site, const Order& order, const sys::Environment& own);

// Tasks whose supervisor is gone become `lost`: before any list of tasks is read. Writes only then.
// `on_lost` gets each that just did. Those that run.
std::vector<store::Task> settle(const Site& site,
                                const std::function<void(const store::Task&)>& on_lost = {});
// The one of that id, "task_007" or "7", settled. Error(not_found) that names those there are.
store::Task require_task(const Site& site, std::string_view id);

// What tasks that run have left so far for programs outside the sandbox to obey, a sentence each:
// "task_001: there came to be …"; of one that has ended its note says it. And what calls have left
// whose turn was killed, until the thread's next one: "thread 1: …".
std::vector<std::string> plants_of(const Site& site, const std::vector<store::Task>& running);

// Whether the task is over within `wait_ms` (negative: for ever), or before `stop` says to give up.
// Reads and writes no row.
bool await_end(const Site& site, const store::Task& task, std::int64_t wait_ms,
               const std::function<bool()>& stop = {});
// The row as it is when the task has ended; nothing where the time is up before.
std::optional<store::Task> wait(const Site& site, const std::string& id, std::int64_t wait_ms,
                                const std::function<bool()>& stop);
// SIGTERM to the command's process group, after `grace_ms` SIGKILL to all it has left; all of them
// at once. The rows as they are then; one that had ended stays as it was.
std::vector<store::Task> end(const Site& site, const std::vector<store::Task>& tasks,
                             std::int64_t grace_ms);

// Makes running_tasks of agent.json say what runs: {"id", "command", "started_at", "pid",
// "status"}. Nothing is written where it does so, or where agent.json cannot be had now.
void mirror(const Site& site);

// A process and session of its own, once nobody has the thread: goes on with its last turn, which a
// person has decided, or begins one with what waits in the inbox. `environment` is all that it
// gets.
enum class Begin { resume, inbox };
void begin_turn(const std::string& agent_name, store::ThreadId thread, Begin begin,
                const sys::Environment& environment);

// What a supervisor does with what start() wrote for it; returns when the task is over. Tells
// start() on stdout.
void supervise(std::string_view order);

}  // namespace chorus::task
