// A word as a shell takes it, for hints that can be typed.
#pragma once

#include <string>
#include <string_view>

namespace chorus::base {

// As it is where no shell reads something else in it, else in single quotes.
std::string shell_quoted(std::string_view word);

}  // namespace chorus::base
