// What an approval is for: the very call, where it runs, under which rules, and the files it names.
// Any difference asks again.
#pragma once

#include <string>

#include "store/prompts.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {

struct Binding {
    std::string arguments;  // SHA-256 of tool name and canonical arguments
    std::string directory;  // worked in
    std::string profile;    // fingerprint of the rules in force
    std::string files;      // JSON: the workspace's files that are words of a command or that a
                            // call overwrites, by path, with the SHA-256 of what they hold
};

Binding bind_call(const tools::Tool& tool, const tools::Arguments& arguments,
                  const tools::Workplace& workplace, const std::string& profile);
Binding binding_of(const store::Prompt& prompt);
void write_binding(const Binding& binding, store::Prompt& prompt);

// "the profile has changed", or "" where there is none.
std::string difference(const Binding& approved, const Binding& now);

}  // namespace chorus::turn
