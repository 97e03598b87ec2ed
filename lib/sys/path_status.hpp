// Looking at a path; for this room's own use.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "sys/fd.hpp"

namespace chorus::sys {

// lstat(2), or nothing where it fails.
std::optional<struct stat> link_status(const std::string& path);
// realpath(3), or nothing where it fails.
std::optional<std::string> resolved(const std::string& path);
// The same for `path` as it was opened, whatever it names now.
std::optional<std::string> resolved(const Fd& opened, const std::string& path);
// Lexical; a directory is within itself.
bool is_within(std::string_view path, std::string_view directory);

}  // namespace chorus::sys
