// Background tasks of agents (chorus-tasks(1)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/turns.hpp"

namespace chorus::store {

// completed: exit status 0. failed: another exit status, or a signal not sent by Chorus. killed:
// ended on request. lost: its supervisor is gone, so its outcome is unknown.
enum class TaskStatus { running, completed, failed, killed, lost };
std::string_view name(TaskStatus status);

struct Task {
    AgentId agent_id = 0;
    std::string id;      // "task_001"
    TurnId turn_id = 0;  // 0: started by hand
    ThreadId thread_id = 1;
    std::string tool_call_id;  // of the call that started it, "": none
    std::string actor;         // as a turn's
    std::string command;
    std::string directory;  // working directory, absolute
    std::int64_t pid = 0;   // of its supervisor; only valid with start time and boot id
    std::int64_t pid_start = 0;
    std::string boot_id;
    base::TimeMs started_at = 0;
    base::TimeMs ended_at = 0;  // 0: not ended
    TaskStatus status = TaskStatus::running;
    int exit_code = -1;      // -1: none
    int signal = 0;          // 0: none
    std::string note;        // a remark, one line
    std::string on_exit;     // a message to the agent when it ends; "": none
    bool goes_on = false;    // on_exit also starts a turn
    std::int64_t depth = 0;  // 1 if no such turn led to it
    std::string rights;      // of the turn that started it, as the inbox keeps them
};

// "exit status 3", "ended by signal 9 (KILL)", "lost"; "running"
std::string outcome(const Task& task);

// "task_001"
std::string task_id(std::int64_t number);
// One more than the highest number that the agent has used.
std::int64_t next_task_number(Store& store, AgentId agent);
void insert_task(Store& store, const Task& task);
// Sets status, ended_at, exit_code, signal and note of a task that has not ended; returns false if
// it has.
bool end_task(Store& store, const Task& task);
std::optional<Task> find_task(Store& store, AgentId agent, std::string_view id);
// Returns the task that a call of a turn started.
std::optional<Task> find_task_of_call(Store& store, TurnId turn, std::string_view tool_call_id);
// Tasks that have not ended, by id.
std::vector<Task> running_tasks(Store& store, AgentId agent);
// Tasks that ended since the thread's last turn began, by id; none if the thread has no turn.
std::vector<Task> tasks_ended_since_turn(Store& store, AgentId agent, ThreadId thread);
// Returns the tasks of sub-agents that were found without their supervisor after `since`.
std::vector<Task> lost_sub_agents(Store& store, AgentId agent, base::TimeMs since);
// Tasks that ended after `since`, by id.
std::vector<Task> ended_tasks(Store& store, AgentId agent, base::TimeMs since);

}  // namespace chorus::store
