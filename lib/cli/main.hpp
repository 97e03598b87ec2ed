// What every executable's main is: one call. Here parse errors, error printing, hints and the exit
// status are owned.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "sys/environment.hpp"

namespace chorus::cli {

struct Program {
    std::string_view name;         // "chorus-run"
    std::string_view description;  // one line
    // Describes what it takes without a verb; {}: it needs one.
    Options options = {};
    std::vector<Verb> verbs = {};
    // Returns the name that "." stands for where an agent is expected; none: "." is a name.
    std::function<std::string()> agent_here = {};
    // Called instead of printing "error:" lines; true when it has said everything.
    std::function<bool(const base::Error&)> on_error = {};
    // Takes the keys of the environment that the process began with out of an error, which may
    // repeat what was typed.
    std::function<std::string(std::string_view, const sys::Environment&)> redact = {};
};

const Verb* find_verb(const Program& program, std::string_view name);

// Completes a line where the first argument is --complete (cli/completion.hpp); else parses, runs,
// checks that stdout was written (promise 12), returns the exit status.
int run_main(int argc, char** argv, const Program& program);

// "chorus-run: error: …" and "chorus-run: hint: …" on stderr, made visible.
void print_error(std::string_view program, const base::Error& error);
// The error's, or that of the signal that canceled.
base::ExitStatus exit_status(const base::Error& error);
void print_line(std::string_view program, std::string_view kind, std::string_view text);

}  // namespace chorus::cli
