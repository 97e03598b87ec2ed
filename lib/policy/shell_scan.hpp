// The generous half of reading a command, for deny patterns: never gives up on what it does not
// know, and rather sees a command where there is none than misses one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

struct ScannedCommand {
    std::string raw;  // as written
    std::vector<std::string>
        words;  // maybe none; unquoted and expanded as far as can be told, no redirections
    std::vector<std::size_t> expanded;  // places of words that expansions or globs are part of
};

struct Scan {
    std::vector<ScannedCommand> commands;    // those inside $(…) and <(…) too
    std::vector<std::string> substitutions;  // the text inside $(…) and <(…)
    std::vector<std::string>
        unread;             // texts that may be commands: `…`, here-documents and -strings
    bool too_much = false;  // nesting or expansions beyond the bounds
};

// Literal assignments seen so far: a=rm; $a -rf x
using Variables = std::map<std::string, std::string, std::less<>>;

Scan scan_command(std::string_view text, Variables& variables);

}  // namespace chorus::policy
