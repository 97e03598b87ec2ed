// What may be read and written below a directory: globs (glob_matches) over paths relative to it.
// A rule without wildcards also stands for everything below the path it names. Deny decides over
// the others, and also denies everything below what it matches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

struct PathRules {
    std::optional<std::vector<std::string>> read = {};  // absent: everything
    std::optional<std::vector<std::string>> write = {};
    std::vector<std::string> deny = {};

    bool only_denies() const { return !read && !write; }
    // These take a path as Root::canonical returns it, without links, and return why it may not be
    // read or written ("not in paths.read: src/**"), or "".
    std::string why_not_read(std::string_view path) const;
    std::string why_not_written(std::string_view path) const;
    // Of a directory whose names are read: it is not denied, and something in it may be read.
    std::string why_not_listed(std::string_view path) const;
    // Whether the history of a repository shows nothing that is hidden: everything may be read, and
    // only the usual is denied.
    bool shows_history() const;
};

// What is denied to every sub-agent: git's own files, runtime, .env and node_modules, anywhere.
const std::vector<std::string>& usual_denials();

// Returns a glob in the form in which PathRules compare it: relative to `root` where it is absolute
// and below it, without empty components and ".".
std::string normal_glob(std::string_view glob, std::string_view root);
// Returns why that is no glob of paths in a preset ("leads upwards"), or "". A rule that can match
// nothing would deny nothing.
std::string glob_problem(std::string_view glob);

}  // namespace chorus::sys
