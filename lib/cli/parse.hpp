// Parses every command line by the rules of chorus(7), COMMAND LINE. Words and values keep every
// byte.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace chorus::cli {

// An option as it was typed, and its value. Completion uses it for unfinished lines.
struct Given {
    const Option* option = nullptr;
    std::string typed;                 // "-o", "--output"
    std::optional<std::string> value;  // nothing: none was given, or it would be the next argument
    std::size_t value_at = std::string::npos;  // where it begins in the argument
    std::optional<base::Error> problem;        // no such option, or not in this form
};
// Returns the options in one argument: several if short ones are combined ("-qv"), none if it is a
// word.
std::vector<Given> read_options(const Command& command, const std::string& argument);

enum class Wanted { run, help, version };
// Stores what was typed. Throws Error(bad_request) with a hint if it breaks a rule. --help and
// --version end the parsing.
Wanted parse(const Command& command, const std::vector<std::string>& arguments);

}  // namespace chorus::cli
