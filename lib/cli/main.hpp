// The main function of every executable. Handles parse errors, printing of errors and hints, and
// the exit status.
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
    // Describes what the program takes without a verb; {}: it needs a verb.
    Options options = {};
    std::vector<Verb> verbs = {};
    // Returns the name that "." stands for where an agent is expected; if not set, "." is a name.
    std::function<std::string()> agent_here = {};
    // Called before "error:" lines are printed; returns true if it has printed everything.
    std::function<bool(const base::Error&)> on_error = {};
    // Removes from an error, which may repeat what was typed, the keys of the environment that the
    // process began with.
    std::function<std::string(std::string_view, const sys::Environment&)> redact = {};
};

const Verb* find_verb(const Program& program, std::string_view name);

// Completes a line if the first argument is --complete (cli/completion.hpp). Otherwise parses,
// runs, checks that stdout was written (promise 12) and returns the exit status.
int run_main(int argc, char** argv, const Program& program);

// Prints "chorus-run: error: …" and "chorus-run: hint: …" on stderr, made visible.
void print_error(std::string_view program, const base::Error& error);
// Returns the error's exit status, or that of the signal that canceled.
base::ExitStatus exit_status(const base::Error& error);
void print_line(std::string_view program, std::string_view kind, std::string_view text);
// Prints a notice of the program that runs.
void notice(std::string_view text);
// The same for what was left for programs outside the sandbox to obey: "NAME: alert: TEXT".
void alert(std::string_view text);

}  // namespace chorus::cli
