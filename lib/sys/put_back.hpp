// Makes and removes single entries of a tree, by paths that no link leads out of it. A .git
// directly in the root is left alone. Each function returns "", or why it did nothing: "a/b: is a
// directory".
#pragma once

#include <functional>
#include <string>

#include "sys/beneath.hpp"

namespace chorus::sys {

// Replaces a file or a link; the owner and attributes of a regular file are kept. `fill` gets a
// descriptor to write to, and may throw: then nothing has changed.
std::string put_file(const Root& root, const std::string& path, unsigned mode,
                     const std::function<void(int fd)>& fill);
std::string put_link(const Root& root, const std::string& path, const std::string& target);
std::string put_directory(const Root& root, const std::string& path);
// Sets the mode of a directory.
std::string put_mode(const Root& root, const std::string& path, unsigned mode);
// Removes a file, or a directory where it is empty; another directory stays.
std::string take_away(const Root& root, const std::string& path, bool is_directory);

}  // namespace chorus::sys
