// The names in git's index (gitformat-index(5)), which git does not verify when it reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::sys {

// Whether git takes the path from a tree: it is relative, holds no "..", and is in no .git.
bool is_plain_git_path(std::string_view path);

// The names that are not such paths, a NUL after each; nothing of what is no index of version 2 to
// 4. The size is that of an object's name in the repository: 20, with SHA-256 32.
std::optional<std::string> odd_index_names(std::string_view index, std::size_t hash_bytes);

}  // namespace chorus::sys
