// The inner program and bubblewrap's arguments; for this room's own use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sys/sandbox.hpp"

namespace chorus::sys {

constexpr const char* inner_name = "chorus-sandbox";

// Beside this executable or in libexec, never by PATH: "" where it is not.
std::string installed_program(const std::string& name);
std::string inner_program(const Sandbox& sandbox);
std::string inner_problem(const Sandbox& sandbox);

// bwrap with name spaces of its own, and nothing mounted yet. The inner program has the
// capabilities for its mounts, and gives them up for good.
std::vector<std::string> alone(const std::string& bwrap, SandboxMode mode);

// `options` are the inner program's own, before "--".
Command confined(const Sandbox& sandbox, Command command, const std::vector<std::string>& options);
// The same without bwrap, for mode landlock.
Command fenced(const Sandbox& sandbox, Command command, const std::vector<std::string>& options);

}  // namespace chorus::sys
