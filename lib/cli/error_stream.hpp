// stderr, whose reader may read no more.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace chorus::cli {

// Waits while the reader takes nothing, until `gives_up`, which is called ten times a second,
// returns true. Then the rest is dropped, and so is what cannot be written at once later.
void write_error(std::string_view text, const std::function<bool()>& gives_up);
// Waits until a signal asks the process to end.
void write_error(std::string_view text);
// Returns "PROGRAM: KIND: TEXT", made visible, with its newline.
std::string error_line(std::string_view program, std::string_view kind, std::string_view text);

}  // namespace chorus::cli
