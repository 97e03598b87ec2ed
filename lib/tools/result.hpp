// Makes the results of tools.
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
// The result of a command when none can run (Workplace::sandbox_problem).
chat::ToolResult no_command(const base::Error& problem);

// At most `most` characters of valid UTF-8, from its start or its end.
std::string_view first_characters(std::string_view valid, std::size_t most);
std::string_view last_characters(std::string_view valid, std::size_t most);
// Like bounded(), with another limit than a result's; the note counts towards it.
std::string bounded_to(std::size_t most_characters, std::string_view text, Keep keep,
                       std::string_view how_to_get_the_rest);
// "1 line", "12 lines"
std::string counted(std::size_t number, std::string_view noun);
// "     1\ttext\n", as view and str_replace number lines; a line is cut at 2,000 characters, with a
// note. `line` may be only the start of a line of `bytes` bytes.
std::string numbered_line(std::size_t number, std::string_view line, std::size_t bytes);
inline std::string numbered_line(std::size_t number, std::string_view line) {
    return numbered_line(number, line, line.size());
}
// Returns a name from the file system for a list with one name per line: a newline in it does not
// start another line.
std::string listed(std::string_view path);

}  // namespace chorus::tools
