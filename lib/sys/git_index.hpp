// The names in git's index (gitformat-index(5)), which git does not verify when it reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::sys {

// Whether git accepts the path in a tree: it is relative, without "..", and in no .git.
bool is_plain_git_path(std::string_view path);

// Returns the names that are not such paths, each followed by a NUL; nothing where the text is not
// an index of version 2 to 4. `hash_bytes` is the size of an object name: 20, with SHA-256 32.
std::optional<std::string> odd_index_names(std::string_view index, std::size_t hash_bytes);

}  // namespace chorus::sys
