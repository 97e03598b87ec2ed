// Writes the change that a call makes in a file as `diff -u` does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chat/message.hpp"

namespace chorus::tools {

constexpr std::size_t most_compared_bytes = 4U << 20;  // of larger files there is no patch

// `before`: nothing where there was no file. Files that are not text give a line that says so. The
// text ends at 256 KiB with a line that says that there is more; the numbers are of all of it.
chat::Change change_of(const std::string& path, std::optional<std::string_view> before,
                       std::string_view after);

}  // namespace chorus::tools
