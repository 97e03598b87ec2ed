// Parses a command line as the shell does, for deny patterns and for allow patterns at once. For
// deny patterns it continues after unknown syntax, and rather reports a command where there is none
// than misses one. For allow patterns it reports how far the text is plain.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

struct ScannedCommand {
    std::string raw = {};  // as written
    // Unquoted and expanded as far as possible, without redirections; may be empty.
    std::vector<std::string> words;
    std::vector<std::size_t> places;    // where each begins in `raw`, as far as the text is plain
    std::vector<std::size_t> expanded;  // indexes of words that contain expansions or globs
    bool uses_files = false;            // a redirection other than to /dev/null or a descriptor
};

struct Scan {
    // Includes those inside $(…) and <(…), and the contents of these as a whole, without words.
    std::vector<ScannedCommand> commands;
    // Texts that may be commands: `…`, here-documents and -strings.
    std::vector<std::string> unread;
    bool too_much = false;  // nesting or expansions beyond the bounds
    // Where the first part that is not plain begins; npos if all is plain. Plain are words, quotes
    // around a whole word, redirections to files of the workspace, and && || ; | between commands.
    std::size_t plain_bytes = std::string::npos;
};

// Literal assignments seen so far: a=rm; $a -rf x
using Variables = std::map<std::string, std::string, std::less<>>;

Scan scan_command(std::string_view text, Variables& variables);

}  // namespace chorus::policy
