// Background tasks of agents (chorus-tasks(1)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/turns.hpp"

namespace chorus::store {

// completed: exit status 0. failed: another one, or a signal of its own. killed: it was asked to
// end. lost: whoever watched it is gone, nobody knows how it ended.
enum class TaskStatus { running, completed, failed, killed, lost };
std::string_view name(TaskStatus status);

struct Task {
    AgentId agent_id = 0;
    std::string id;      // "task_001"
    TurnId turn_id = 0;  // 0: started by hand
    ThreadId thread_id = 1;
    std::string tool_call_id;  // of the call that started it, "": none did
    std::string actor;         // as a turn's
    std::string command;
    std::string directory;  // it runs in, absolute
    std::int64_t pid = 0;   // of its supervisor, with start time and boot id: never the pid alone
    std::int64_t pid_start = 0;
    std::string boot_id;
    base::TimeMs started_at = 0;
    base::TimeMs ended_at = 0;  // 0: not
    TaskStatus status = TaskStatus::running;
    int exit_code = -1;      // -1: none
    int signal = 0;          // 0: none
    std::string note;        // what else is worth saying, one line
    std::string on_exit;     // a message to the agent when it ends, ""
    bool goes_on = false;    // and a turn with it
    std::int64_t depth = 0;  // 1 where no such turn led to it
    std::string rights;      // of the turn that started it, as the inbox keeps them
};

// "exit status 3", "ended by signal 9 (KILL)", "lost"; "running"
std::string outcome(const Task& task);

// "task_001"
std::string task_id(std::int64_t number);
// One more than any that the agent has had.
std::int64_t next_task_number(Store& store, AgentId agent);
void insert_task(Store& store, const Task& task);
// Status, ended_at, exit_code, signal and note, where it has not ended; false where it has.
bool end_task(Store& store, const Task& task);
std::optional<Task> find_task(Store& store, AgentId agent, std::string_view id);
// The one that a call of a turn started.
std::optional<Task> find_task_of_call(Store& store, TurnId turn, std::string_view tool_call_id);
// Not ended, by id.
std::vector<Task> running_tasks(Store& store, AgentId agent);
// Those that ended since the thread's last turn began, by id; none where it has had no turn.
std::vector<Task> tasks_ended_since_turn(Store& store, AgentId agent, ThreadId thread);
// Those that ended after `since`, by id.
std::vector<Task> ended_tasks(Store& store, AgentId agent, base::TimeMs since);

}  // namespace chorus::store
