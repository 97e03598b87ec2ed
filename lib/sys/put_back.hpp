// Single entries of a tree, made or taken away by paths that no link leads out of it. A .git right
// in the root is left alone. Each function returns "", or why it did nothing: "a/b: is a
// directory".
#pragma once

#include <functional>
#include <string>

#include "sys/beneath.hpp"

namespace chorus::sys {

// In place of a file or a link that is there; a regular one hands on its owner and attributes.
// `fill` gets a descriptor to write to, and may throw: then nothing has changed.
std::string put_file(const Root& root, const std::string& path, unsigned mode,
                     const std::function<void(int fd)>& fill);
std::string put_link(const Root& root, const std::string& path, const std::string& target);
std::string put_directory(const Root& root, const std::string& path);
// Of a directory.
std::string put_mode(const Root& root, const std::string& path, unsigned mode);
// A directory goes where it is empty, else it stays.
std::string take_away(const Root& root, const std::string& path, bool is_directory);

}  // namespace chorus::sys
