// What the file tools share: how a path stands in an action, opening with a message that helps, the
// lock of a file that is being written.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/beneath.hpp"
#include "sys/lock.hpp"
#include "tools/effect.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

// Larger files are for commands.
constexpr std::size_t binary_check_bytes = 8U << 10;

// The detail of a tool whose argument 'path' names what it works on: canonical, or as written where
// it leads out (the tool refuses it).
std::string path_detail(const Arguments& arguments, const Workplace& workplace);

// A NUL in the first 8 KiB.
bool is_binary(std::string_view start);
// "PNG image", or "data".
std::string_view binary_type(std::string_view start);
// "logo.png: a binary file (PNG image, 345 bytes)"
std::string binary_message(std::string_view path, std::string_view start, std::uint64_t size_bytes);

struct Name {
    std::string name;
    sys::Kind kind = sys::Kind::file;
};
// What an opened directory holds, sorted as paths below it are (a directory as if it ended in '/'),
// without ".", ".." and any .git.
std::vector<Name> read_names(sys::Fd directory);

// As Root::open_to_read; the message for a missing path names those like it in its directory.
sys::Opened open_to_read(const sys::Root& root, const std::string& path);
// The text to be edited; the message for the model otherwise.
std::optional<std::string> read_text(const sys::Root& root, const std::string& path,
                                     std::string& message);

// Held while one file is read, changed and written. Nothing when another call keeps it too long.
std::optional<sys::Lock> lock_file(const Workplace& workplace, const std::string& path);
// The result where lock_file gave nothing.
chat::ToolResult locked_failure(const std::string& path);

// What writing `content` is going to do; `answer` is asked for once it is written.
Plan plan_write(const Workplace& workplace, sys::Lock lock, const std::string& path, Before before,
                std::string content, std::function<chat::ToolResult(const std::string&)> answer);

// "12 lines, 345 bytes"
std::string measure(std::string_view content);

}  // namespace chorus::tools
