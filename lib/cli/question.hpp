// Questions to the person at the terminal: on /dev/tty, so that stdin may carry data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace chorus::cli {

// nobody: no terminal, its end, a signal, or the time was up
enum class Answer { yes, no, always, even_if_changed, nobody };
enum class Choices { yes_no, yes_no_always, yes_no_always_even_if_changed };

// Whether there is a terminal to ask at.
bool can_ask();
// What was typed ahead is thrown away first. `text` must be made visible by the caller.
Answer ask_yes_no(const std::string& text, Choices choices, std::int64_t timeout_ms,
                  const std::function<bool()>& stop);
// A line that `accept` takes (""), which otherwise says what is wrong with it; three tries.
std::optional<std::string> ask_line(const std::string& text, std::int64_t timeout_ms,
                                    const std::function<bool()>& stop,
                                    const std::function<std::string(const std::string&)>& accept);

}  // namespace chorus::cli
