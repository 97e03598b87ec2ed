// Tasks, threads and turns as the views print them.
#pragma once

#include <string>

#include "chat/json_text.hpp"
#include "report/standing.hpp"
#include "store/tasks.hpp"

namespace chorus::tasks_command {

// "exit 0", "signal 9 (KILL)"; "" while it runs, and if unknown.
std::string exit_of(const store::Task& task);
// "started 5 min ago, PID 12345", "exit 0, 30 sec ago", "2 min ago; and why"
std::string end_of(const store::Task& task);
// Writes into an open object.
void write_members(chat::JsonText& out, const store::Task& task, const std::string& agent);
std::string json_of(const store::Task& task, const std::string& agent);

// Returns the state of the thread's newest turn, "idle" if it has none.
std::string state_of(const report::ThreadStanding& thread);
// Returns what the thread does and for how long: "calling bash (+3), 12 sec".
std::string doing_of(const report::ThreadStanding& thread);
// Writes into an open object.
void write_members(chat::JsonText& out, const report::ThreadStanding& thread,
                   const std::string& agent);
// Writes the member last_turn: an object, or null.
void write_last_turn(chat::JsonText& out, const report::ThreadStanding* thread);
// Writes the member pending.
void write_pending(chat::JsonText& out, const std::vector<store::Prompt>& prompts);

}  // namespace chorus::tasks_command
