// Shows people the tool calls of a running turn.
#pragma once

#include <cstddef>
#include <string>

#include "chat/event.hpp"

namespace chorus::cli {

// Returns its action, or its tool if it has none.
std::string call_line(const chat::CallEvent& event);
// "bash  make test", as end_line begins.
std::string running_line(const chat::CallEvent& event);
// "helper: look around · 2 calls · view:src/a"
std::string subtask_line(const chat::Subtask& subtask);
// Describes how it ended, in at most `width` columns: "str_replace  src/a.c  +3 -1",
// "bash  make test  ok 3.2 s".
std::string end_line(const chat::CallComplete& done, std::size_t width);
// Where a unified diff is shown. A pipe gets it unchanged, for a program that applies it.
enum class ShownOn { pipe, terminal, color_terminal };
std::string shown_patch(const std::string& patch, ShownOn where);

}  // namespace chorus::cli
