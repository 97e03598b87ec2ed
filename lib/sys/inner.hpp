// The inner program and bubblewrap's arguments; for this room's own use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {

constexpr const char* inner_name = "chorus-sandbox";

// Looks beside this executable and in libexec, never in PATH. Returns "" where the program is
// missing.
std::string installed_program(const std::string& name);
std::string inner_program(const Sandbox& sandbox);
std::optional<base::Error> inner_problem(const Sandbox& sandbox);
// Returns why commands cannot be held to the sandbox's rules.
std::optional<base::Error> rules_problem(const Sandbox& sandbox);

// Returns the command line of bwrap with its own namespaces and no mounts yet. The inner program
// gets the capabilities for its mounts, and drops them for good.
std::vector<std::string> alone(const std::string& bwrap, SandboxMode mode);

// `options` are passed to the inner program, before "--".
ProcessCommand confined(const Sandbox& sandbox, ProcessCommand command,
                        const std::vector<std::string>& options);
// The same without bwrap, for mode landlock.
ProcessCommand fenced(const Sandbox& sandbox, ProcessCommand command,
                      const std::vector<std::string>& options);

}  // namespace chorus::sys
