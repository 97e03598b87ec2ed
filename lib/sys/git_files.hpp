// Files of a git directory that git itself writes, and obeys whatever they say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

// "rebase-merge/strategy": what an operation in progress has noted to go on with.
struct OperationFile {
    const char* path;
    const char* what;
    bool (*is_obeyed)(std::string_view text);
};
extern const OperationFile operation_files[4];

// The files that MERGE_RR names, "ID TAB PATH NUL": git copies each into rr-cache, and over it.
std::vector<std::string_view> rerere_paths(std::string_view conflicts);

// Where a symbolic reference leads that does not lead to another reference, or says it at such
// length. So much of a file suffices.
constexpr std::size_t reference_bytes = 4096;
std::optional<std::string> odd_reference(std::string_view text);

}  // namespace chorus::sys
