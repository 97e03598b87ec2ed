// A verb of chorus-tasks: a file beside this one and its row in the table of chorus-tasks.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "cli/field.hpp"
#include "store/agents.hpp"
#include "sys/environment.hpp"
#include "task/task.hpp"

namespace CLI {
class App;
}

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
    Action (*add)(CLI::App& verb) =
        nullptr;  // its options; returns what runs after they were parsed
};

Action add_answer(CLI::App& verb);
Action add_approve(CLI::App& verb);
Action add_cancel(CLI::App& verb);
Action add_deny(CLI::App& verb);
Action add_events(CLI::App& verb);
Action add_kill(CLI::App& verb);
Action add_list(CLI::App& verb);
Action add_log(CLI::App& verb);
Action add_prompts(CLI::App& verb);
Action add_ready(CLI::App& verb);
Action add_run(CLI::App& verb);
Action add_status(CLI::App& verb);
Action add_steps(CLI::App& verb);
Action add_threads(CLI::App& verb);
Action add_wait(CLI::App& verb);

// Without a verb: every agent.
Action add_overview(CLI::App& app);

// --- what verbs share ---

// The agent that is there, and where its tasks are.
task::Site require_site(Opened& opened, const std::string& name);
// 0 for one that ended well, its exit status, 128 + signal; 1 for one that nobody knows of.
base::ExitStatus status_of(const store::Task& task);
// "task_001 exit status 0", on stderr.
void tell_end(const store::Task& task);

using cli::one_line;
void notice(const std::string& what);
// What its tasks that run have left for programs outside the sandbox to obey.
void tell_plants(const task::Site& site);

}  // namespace chorus::tasks_command
