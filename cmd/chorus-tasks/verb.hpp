// A verb of chorus-tasks is a file in this directory and a row in the table of chorus-tasks.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/field.hpp"
#include "store/agents.hpp"
#include "store/prompts.hpp"
#include "sys/environment.hpp"
#include "task/task.hpp"

namespace chorus::tasks_command {

constexpr const char* program = "chorus-tasks";

struct Opened {
    sys::Environment environment;
    agent::Home home;
    store::Store store;
};

using Action = std::function<base::ExitStatus(Opened&)>;

struct Verb {
    std::string_view name;
    std::string_view help;
    Action (*add)(cli::Command& verb) =
        nullptr;  // adds the options; returns what runs after parsing
};

Action add_answer(cli::Command& verb);
Action add_approve(cli::Command& verb);
Action add_cancel(cli::Command& verb);
Action add_deny(cli::Command& verb);
Action add_events(cli::Command& verb);
Action add_kill(cli::Command& verb);
Action add_list(cli::Command& verb);
Action add_log(cli::Command& verb);
Action add_pending(cli::Command& verb);
Action add_ready(cli::Command& verb);
Action add_run(cli::Command& verb);
Action add_status(cli::Command& verb);
Action add_steps(cli::Command& verb);
Action add_threads(cli::Command& verb);
Action add_wait(cli::Command& verb);

// Without a verb: all agents.
Action add_overview(cli::Command& app);

// --- what verbs share ---

// Returns the place of the agent's tasks. Error(not_found) if there is no such agent.
task::Site require_site(Opened& opened, const std::string& name);
// Return the agent's name and the thread of a question: "" and 0 where they are gone.
std::string agent_of(Opened& opened, const store::Prompt& prompt);
store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt);
// Returns the exit status of the task, 128 + its signal, or 1 if its end is unknown.
base::ExitStatus status_of(const store::Task& task);
// Prints "task_001: exit status 0" on stderr.
void tell_end(const store::Task& task);

using cli::one_line;
void notice(const std::string& what);
// Warns of files that running tasks have left and that programs outside the sandbox would obey.
void tell_plants(const task::Site& site);

}  // namespace chorus::tasks_command
