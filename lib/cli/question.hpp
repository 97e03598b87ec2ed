// Questions to the person at the terminal: on /dev/tty, so that stdin may carry data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace chorus::cli {

enum class Answer {
    yes,
    no,
    nobody
};  // nobody: no terminal, its end, a signal, or the time was up

// Whether there is a terminal to ask at.
bool can_ask();
// What was typed ahead is thrown away first. `text` must be made visible by the caller.
Answer ask_yes_no(const std::string& text, std::int64_t timeout_ms,
                  const std::function<bool()>& stop);

}  // namespace chorus::cli
