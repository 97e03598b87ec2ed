// What tools answer with.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "chat/message.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

constexpr std::size_t line_characters = 2'000;

chat::ToolResult answer(std::string_view text, Keep keep = Keep::start,
                        std::string_view how_to_get_the_rest = {});
chat::ToolResult failure(std::string_view text);
// Of a command where none can run (Workplace::sandbox_problem).
chat::ToolResult no_command(const base::Error& problem);

// At most `most` characters of valid UTF-8, from its start or its end.
std::string_view first_characters(std::string_view valid, std::size_t most);
std::string_view last_characters(std::string_view valid, std::size_t most);
// As bounded(), for another bound than a result's; the note is within it.
std::string bounded_to(std::size_t most_characters, std::string_view text, Keep keep,
                       std::string_view how_to_get_the_rest);
// "1 line", "12 lines"
std::string counted(std::size_t number, std::string_view noun);
// "     1\ttext\n", as view and str_replace number lines; a line is cut at 2,000 characters and
// says so. `line` may be only the start of one of `bytes` bytes.
std::string numbered_line(std::size_t number, std::string_view line, std::size_t bytes);
inline std::string numbered_line(std::size_t number, std::string_view line) {
    return numbered_line(number, line, line.size());
}
// A name from the file system in a list with one name a line: a newline in it starts no line of its
// own.
std::string listed(std::string_view path);

}  // namespace chorus::tools
