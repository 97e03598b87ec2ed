// Walks the files below a path, in order, for list_files and search_files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sys/beneath.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

constexpr std::int64_t most_walk_ms = 10'000;

struct Walked {
    std::string error;           // why the path could not be walked at all
    std::size_t unreadable = 0;  // directories that could not be opened
    bool is_late = false;        // ended by the deadline or by the turn's end
};

// Calls `visit` for every regular file and link below `path` (or for `path` itself, if it is a
// file) that the glob matches, sorted, without .git and what .gitignore files ignore; `path` itself
// is walked even if ignored, and not part of what the glob sees. Links are not followed. Ends when
// `visit` returns false or most_walk_ms have passed.
Walked walk_files(const Workplace& workplace, const std::string& path, std::string_view glob,
                  const std::function<bool(const sys::Entry&)>& visit);
// "[2 directories could not be read]\n" and the like, or "".
std::string notes_on(const Walked& walked);

}  // namespace chorus::tools
