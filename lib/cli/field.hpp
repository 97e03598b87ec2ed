// Formats what programs print: counts, and untrusted text as a field of a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chorus::cli {

// "1 message", "2 messages".
std::string counted(std::int64_t count, std::string_view noun);
// Escapes everything that would move a cursor or end a line or a field.
std::string one_line(std::string_view text);

}  // namespace chorus::cli
