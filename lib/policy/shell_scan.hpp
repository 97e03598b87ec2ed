// Reading a command line as the shell does, for deny patterns and for allow patterns at once. For
// the first it never gives up on what it does not know, and rather sees a command where there is
// none than misses one; for the second it says how far the text is plain.
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
    // Maybe none; unquoted and expanded as far as can be told, without redirections.
    std::vector<std::string> words;
    std::vector<std::size_t> places;    // where each begins in `raw`, as far as the text is plain
    std::vector<std::size_t> expanded;  // places of words that expansions or globs are part of
    bool uses_files = false;            // a redirection other than to /dev/null or a descriptor
};

struct Scan {
    // Those inside $(…) and <(…) too, and what these hold as a whole, without words.
    std::vector<ScannedCommand> commands;
    // Texts that may be commands: `…`, here-documents and -strings.
    std::vector<std::string> unread;
    bool too_much = false;  // nesting or expansions beyond the bounds
    // Where what is not plain begins: plain are words, quotes around all of one, redirections to
    // files of the workspace, and && || ; | between commands. npos where everything is.
    std::size_t plain_bytes = std::string::npos;
};

// Literal assignments seen so far: a=rm; $a -rf x
using Variables = std::map<std::string, std::string, std::less<>>;

Scan scan_command(std::string_view text, Variables& variables);

}  // namespace chorus::policy
