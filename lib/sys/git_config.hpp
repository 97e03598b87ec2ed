// git's configuration files, read without libgit2.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"

namespace chorus::sys {

// "" of what git cannot use either: not there, unreadable, no regular file, or too long. The second
// reads a file in or below an open directory and follows no link there.
std::string read_git_file(const std::string& path);
std::string read_git_file(int directory, const std::string& path,
                          std::size_t most = base::limits::config_bytes);
// The values of SECTION.KEY in the text of a configuration file, in order, without quotes and
// comments. Both names in lower case; "SECTION.*" means all subsections of it. What the file
// includes is not read.
std::vector<std::string> git_values(std::string_view configuration, std::string_view section,
                                    std::string_view key);

struct GitEntry {
    std::string key;  // "core.fsmonitor", without the subsection
    std::string line;
};
// Every entry but those of git_plain_keys.txt; what cannot be read is among them.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration);
// Their words, each with a key: what a program or a file may be named by. An alias of a command of
// git has none, nor has what is included.
using GitWords = std::map<std::string, std::string>;
GitWords obeyed_git_words(std::string_view configuration);

}  // namespace chorus::sys
