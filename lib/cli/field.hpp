// Formats what programs print: counts, and untrusted text as a field of a line.
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace chorus::cli {

using base::counted;
// Escapes everything that would move a cursor or end a line or a field.
std::string one_line(std::string_view text);

}  // namespace chorus::cli
