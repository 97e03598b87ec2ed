// Shows people the calls of tools while a turn runs.
#pragma once

#include <cstddef>
#include <string>

#include "chat/event.hpp"

namespace chorus::cli {

// Its action.
std::string call_line(const chat::CallEvent& event);
// How it ended: "bash  make test  ok 3.2 s", "str_replace  src/a.c  +3 -1"; at most `width`
// columns.
std::string end_line(const chat::CallComplete& done, std::size_t width);
// Where a unified diff is shown: a pipe gets it as it is, for a program that applies it.
enum class ShownOn { pipe, terminal, color_terminal };
std::string shown_patch(const std::string& patch, ShownOn where);

}  // namespace chorus::cli
