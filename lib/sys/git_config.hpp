// git's configuration files, read without libgit2; the one that git reads in a command; and whether
// this process's user may use a repository, by git's rules.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "sys/environment.hpp"
#include "sys/git_place.hpp"

namespace chorus::sys {

// Return "" for a file that git cannot use either: missing, unreadable, not regular, or too long.
// The second reads a file in or below an open directory and follows no link there.
std::string read_git_file(const std::string& path);
std::string read_git_file(int directory, const std::string& path,
                          std::size_t most = base::limits::config_bytes);
// Returns the keys of SECTION in the text of a configuration file, in lower case, and the values of
// each, in order, without quotes and comments. SECTION is in lower case; "SECTION.*" means all
// subsections of it. Included files are not read.
std::map<std::string, std::vector<std::string>, std::less<>> git_section(
    std::string_view configuration, std::string_view section);
// Returns the values of one key of them.
std::vector<std::string> git_values(std::string_view configuration, std::string_view section,
                                    std::string_view key);

constexpr int most_included = 10;  // git's limit for files that include each other

struct GitEntry {
    std::string key;  // "core.fsmonitor", without the subsection
    std::string line;
};
// Returns every entry except those of git_plain_keys.txt. Lines that cannot be parsed are included.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration);
// Returns the words of these entries, each with its key: possible names of programs or files.
// Aliases of git commands and include entries are left out.
using GitWords = std::map<std::string, std::string>;
GitWords obeyed_git_words(std::string_view configuration);

// Throws Error(failed), whose message begins with `what`, unless the directory, its .git and its
// git directory belong to the user of this process or to the one who became root by sudo, or
// safe.directory names the directory: "*", the path itself, or "DIR/*" above it.
void check_owner(const std::string& what, const std::string& directory, const GitPlace& place);
// Returns the values of safe.directory in the system's and the user's own configuration, in order,
// with "~/" expanded; an empty value discards those before it. Included files are not read.
std::vector<std::string> safe_directories(const Environment& environment);

// Returns the text of the file: an identity for repositories without one, safe.directory,
// safe.bareRepository, and filter.lfs where git-lfs is installed.
std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment);

}  // namespace chorus::sys
