// Files of a git directory that git itself writes and later obeys without checking them: those of
// an operation in progress, references, and the index (gitformat-index(5)).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

// A file in which an operation in progress stores how to continue: "rebase-merge/strategy".
struct OperationFile {
    const char* path;
    const char* what;
    bool (*is_obeyed)(std::string_view text);
};
extern const OperationFile operation_files[4];

// Returns the paths in MERGE_RR, "ID TAB PATH NUL". git copies each file into rr-cache, and may
// overwrite it with a recorded resolution.
std::vector<std::string_view> rerere_paths(std::string_view conflicts);

// Returns the target of a symbolic reference that does not name another reference, or that is too
// long; else nothing. The first `reference_bytes` of the file suffice.
constexpr std::size_t reference_bytes = 4096;
std::optional<std::string> odd_reference(std::string_view text);

// Whether git accepts the path in a tree: it is relative, without "..", and in no .git.
bool is_plain_git_path(std::string_view path);

// Returns the names that are not such paths, each followed by a NUL; nothing where the text is not
// an index of version 2 to 4. `hash_bytes` is the size of an object name: 20, with SHA-256 32.
std::optional<std::string> odd_index_names(std::string_view index, std::size_t hash_bytes);

}  // namespace chorus::sys
