// Quotes a word for a shell, for hints that can be typed.
#pragma once

#include <string>
#include <string_view>

namespace chorus::base {

// Returns the word unchanged if it needs no quotes, else in single quotes.
std::string shell_quoted(std::string_view word);

}  // namespace chorus::base
