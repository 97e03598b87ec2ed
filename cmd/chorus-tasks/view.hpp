// Shared by the verbs of chorus-tasks: how they show a state, and tasks, threads and questions as
// they print them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chorus-tasks/verbs.hpp"
#include "cli/live_view.hpp"
#include "command/verb.hpp"
#include "report/standing.hpp"
#include "store/prompts.hpp"
#include "task/task.hpp"

namespace chorus::command {

// CHORUS_POLL_MS: how often --follow looks for changes. Throws Error(bad_request).
std::optional<std::int64_t> given_look_ms(const sys::Environment& environment);

// --follow.
struct Watching {
    void add_follow(cli::Command& verb);
    // Draws on stdout once, with --follow until the last frame or a signal.
    using Draw = std::function<cli::Frame(Form form, std::size_t width)>;
    ExitStatus show(Opened& opened, bool json, const Draw& draw) const;
    // Likewise, but each frame has only what is new (cli::append).
    ExitStatus append(Opened& opened, bool json, const Draw& draw) const;
    bool follow = false;
};

// A verb about some tasks of an agent.
struct OfTasks : Named {
    using Named::Named;
    task::Site site(Opened& opened) const;
    std::vector<std::string> ids;
};

// Reads the agent's row again.
store::Agent again(Opened& opened, const store::Agent& agent);
bool is_gone(const store::Agent& agent);
// Return the agent's name and the thread of a question: "" and 0 where they are gone.
std::string agent_of(Opened& opened, const store::Prompt& prompt);
store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt);
// Prints "task_001: exit status 0" on stderr.
void tell_end(const store::Task& task);
// Warns of files that running tasks have left and that programs outside the sandbox would obey.
void tell_plants(const task::Site& site);

// ISO 8601; "" for 0.
std::string iso(base::TimeMs time);
// Cuts each line to the width of the terminal.
void cut_lines(std::vector<std::string>& lines, std::size_t width);

// "exit 0", "signal 9 (KILL)"; "" while it runs, and if unknown.
std::string exit_of(const store::Task& task);
// "started 5 min ago, PID 12345", "exit 0, 30 sec ago", "2 min ago; and why"
std::string end_of(const store::Task& task);
Fields fields_of(const store::Task& task, const std::string& agent);

// Returns the state of the thread's newest turn, "idle" if it has none.
std::string state_of(const report::ThreadStanding& thread);
// Returns what the thread does and for how long: "calling bash (+3), 12 sec".
std::string doing_of(const report::ThreadStanding& thread);
// Returns the object of the thread's newest turn; nothing if it has none.
cli::Value last_turn(const report::ThreadStanding* thread);
std::vector<Fields> thread_fields(const std::vector<report::ThreadStanding>& threads,
                                  const std::string& agent);

// Returns the objects of questions.
std::vector<Fields> asked(const std::vector<store::Prompt>& prompts);

}  // namespace chorus::command
