// Shared by the file tools: the form of a path in an action, opening with helpful messages, and the
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

constexpr std::size_t binary_check_bytes = 8U << 10;

// Returns the action's detail for a tool with an argument 'path': canonical, or as written if it
// leads out of the workspace (the tool then refuses it).
std::string path_detail(const Arguments& arguments, const Workplace& workplace);

// Whether there is a NUL in the first 8 KiB.
bool is_binary(std::string_view start);
// "PNG image", or "data".
std::string_view binary_type(std::string_view start);
// "logo.png: a binary file (PNG image, 345 bytes)"
std::string binary_message(std::string_view path, std::string_view start, std::uint64_t size_bytes);

struct Name {
    std::string name;
    sys::Kind kind = sys::Kind::file;
};
// Returns the entries of an open directory that the root shows, without ".", ".." and any .git,
// sorted as paths below it are (a directory as if it ended in '/').
std::vector<Name> read_names(const sys::Root& root, sys::Opened directory);

// Like Root::open_to_read, but the message for a missing path names similar ones in its directory.
sys::Opened open_to_read(const sys::Root& root, const std::string& path);
// Returns the text to be edited, otherwise nothing and the message for the model.
std::optional<std::string> read_text(const sys::Root& root, const std::string& path,
                                     std::string& message);

// Held while one file is read, changed and written. Nothing if another call holds it too long.
std::optional<sys::Lock> lock_file(const Workplace& workplace, const std::string& path);
// The result if lock_file returned nothing.
chat::ToolResult locked_failure(const std::string& path);

// Plans writing `content`; `answer` makes the result once it is written.
Plan plan_write(const Workplace& workplace, sys::Lock lock, const std::string& path, Before before,
                std::string content, std::function<chat::ToolResult(const std::string&)> answer);

// "12 lines, 345 bytes"
std::string measure(std::string_view content);

}  // namespace chorus::tools
