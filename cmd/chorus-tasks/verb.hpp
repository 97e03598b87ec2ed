// A verb of chorus-tasks: a file beside this one and its row in the table of chorus-tasks.cpp.
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
        nullptr;  // its options; returns what runs after they were parsed
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

// Without a verb: every agent.
Action add_overview(cli::Command& app);

// --- what verbs share ---

// The agent that is there, and where its tasks are.
task::Site require_site(Opened& opened, const std::string& name);
// Return the agent's name and the thread of a question: "" and 0 where they are gone.
std::string agent_of(Opened& opened, const store::Prompt& prompt);
store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt);
// 0 for one that ended well, its exit status, 128 + signal; 1 for one that nobody knows of.
base::ExitStatus status_of(const store::Task& task);
// "task_001 exit status 0", on stderr.
void tell_end(const store::Task& task);

using cli::one_line;
void notice(const std::string& what);
// What its tasks that run have left for programs outside the sandbox to obey.
void tell_plants(const task::Site& site);

}  // namespace chorus::tasks_command
