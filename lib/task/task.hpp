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

// What to start. Of `about` the command, its directory, turn, thread, call, actor, on_exit,
// goes_on, depth and rights are used; the supervisor sets the rest.
struct Order {
    store::Task about;
    std::vector<std::string> environment;  // of the command: scrubbed
    sys::Sandbox sandbox;
    std::int64_t timeout_ms = 0;            // 0: none
    std::int64_t grace_ms = 0;              // from SIGTERM to SIGKILL
    std::vector<std::string> secrets = {};  // removed from its logs
    // A program of Chorus that runs in place of the command, outside of the sandbox, with the
    // supervisor's environment; `input` is its stdin.
    std::vector<std::string> program = {};
    std::string input = {};
};
// Throws Error(limit) where as many tasks of the agent run as may; `hint` says how to make room.
void require_room(store::Store& store, store::AgentId agent, const char* hint);

// Returns the row once the command runs. Throws Error(limit) where the maximum of tasks run, or
// where too many tasks and turns have started each other; Error(failed) where it could not be
// started, and the row, where there is one, says so. `own` is the environment of this process.
store::Task start(const Site& site, const Order& order, const sys::Environment& own);

// Marks tasks whose supervisor is gone as `lost`; called before any list of tasks is read. Writes
// only where there is one. `on_lost` gets each that was just marked. Returns the running tasks.
std::vector<store::Task> settle(const Site& site,
                                const std::function<void(const store::Task&)>& on_lost = {});
// Returns the task of that id, "task_007" or "7", settled. Throws Error(not_found) that names the
// existing ones.
store::Task require_task(const Site& site, std::string_view id);

// Returns what running tasks have left so far for programs outside the sandbox to obey, a sentence
// each: "task_001: files changed that …"; the note of an ended task says it. Also what calls of
// killed turns have left, until the thread's next turn: "thread 1: …".
std::vector<std::string> plants_of(const Site& site, const std::vector<store::Task>& running);

// Whether the task has ended within `wait_ms` (negative: forever), or before `stop` returns true.
// Reads and writes no row.
bool await_end(const Site& site, const store::Task& task, std::int64_t wait_ms,
               const std::function<bool()>& stop = {});
// Returns the row when the task has ended; nothing where the time is up before.
std::optional<store::Task> wait(const Site& site, const std::string& id, std::int64_t wait_ms,
                                const std::function<bool()>& stop);
// Ends all of them at once: SIGTERM to the command's process group, after `grace_ms` SIGKILL to
// what is left. Returns the rows as they are then; a task that had ended is unchanged.
std::vector<store::Task> end(const Site& site, const std::vector<store::Task>& tasks,
                             std::int64_t grace_ms);

// Updates running_tasks of agent.json: {"id", "command", "started_at", "pid", "status"}. Writes
// nothing where it is up to date, or where agent.json cannot be locked now.
void mirror(const Site& site);

// Starts a process with its own session that waits until the thread is free. It resumes the
// thread's last turn, which a person has decided, or begins one with what is in the inbox.
// `environment` is its whole environment.
enum class Begin { resume, inbox };
void begin_turn(const std::string& agent_name, store::ThreadId thread, Begin begin,
                const sys::Environment& environment);

// Runs a supervisor with what start() wrote for it; returns when the task has ended. Reports to
// start() on stdout.
void supervise(std::string_view order);

}  // namespace chorus::task
