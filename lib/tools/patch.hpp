// Writes the change that a call makes in a file as `diff -u` does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chat/message.hpp"

namespace chorus::tools {

constexpr std::size_t most_compared_bytes = 4U << 20;  // larger files get no patch

// `before` is nothing if there was no file. For files that are not text the patch is a line that
// says so. The patch is cut at 256 KiB, with a last line that says so; the counts cover all of it.
chat::Change change_of(const std::string& path, std::optional<std::string_view> before,
                       std::string_view after);

}  // namespace chorus::tools
