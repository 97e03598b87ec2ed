// Asks the person at the terminal, on /dev/tty, so that stdin can carry data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace chorus::cli {

// nobody: no terminal, end of input, a signal, the timeout, or three answers that were none
enum class TerminalAnswer { yes, no, always, even_if_changed, nobody };
enum class Choices { yes_no, yes_no_always, yes_no_always_even_if_changed };

// Whether there is a terminal to ask at.
bool can_ask();
// Discards what was typed ahead first. The caller makes `text` visible.
TerminalAnswer ask_yes_no(const std::string& text, Choices choices, std::int64_t timeout_ms,
                          const std::function<bool()>& stop);
// Asks for a line, at most three times. `accept` returns "" for a valid line, otherwise what is
// wrong with it.
std::optional<std::string> ask_line(const std::string& text, std::int64_t timeout_ms,
                                    const std::function<bool()>& stop,
                                    const std::function<std::string(const std::string&)>& accept);

// Asks for a line that the terminal does not show. Returns nothing where there is none.
std::optional<std::string> ask_secret(const std::string& text, std::int64_t timeout_ms,
                                      const std::function<bool()>& stop);

}  // namespace chorus::cli
