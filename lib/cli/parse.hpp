// The rules of every command line (chorus(7), COMMAND LINE). Words and values keep each byte.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace chorus::cli {

// An option as it was typed, and its value. For completion, which reads lines that are not ended.
struct Given {
    const Option* option = nullptr;
    std::string typed;                 // "-o", "--output"
    std::optional<std::string> value;  // nothing: none was given, or it would be the next argument
    std::size_t value_at = std::string::npos;  // where it begins in the argument
    std::optional<base::Error> problem;        // that there is no such option, or not in this form
};
// The options in one argument: several where short ones stand together ("-qv"). Nothing where it is
// a word.
std::vector<Given> read_options(const Command& command, const std::string& argument);

enum class Wanted { run, help, version };
// Stores what was typed. Error(bad_request) with a hint where it breaks a rule. --help and
// --version end the reading.
Wanted parse(const Command& command, const std::vector<std::string>& arguments);

}  // namespace chorus::cli
