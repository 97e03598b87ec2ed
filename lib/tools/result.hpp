// Makes the results of tools.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/message.hpp"
#include "sys/process.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

constexpr std::size_t line_characters = 2'000;
// How much of the end of each stream of a command is read.
constexpr std::size_t captured_bytes = base::limits::tool_result_characters * 4;

// The text of a result is valid UTF-8 of at most 50,000 characters; if text was cut, a line says so
// and how to get the rest.
enum class Keep { start, end };
chat::ToolResult answer(std::string_view text, Keep keep = Keep::start,
                        std::string_view how_to_get_the_rest = {});
chat::ToolResult failure(std::string_view text);
// The result of a command when none can run (Workplace::sandbox_problem).
chat::ToolResult no_command(const base::Error& problem);

// At most `most` characters of valid UTF-8, from its start or its end.
std::string_view first_characters(std::string_view valid, std::size_t most);
std::string_view last_characters(std::string_view valid, std::size_t most);
// At most so many characters; the note on what was left out counts towards them.
std::string bounded_to(std::size_t most_characters, std::string_view text, Keep keep,
                       std::string_view how_to_get_the_rest);
// Returns "stdout:\n…stderr:\n…", the end of each within the limit of a result, with a note on what
// was left out; or "no output\n".
std::string captured_text(const sys::Captured& out, const sys::Captured& err);
using base::counted;
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
