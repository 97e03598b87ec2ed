// What an approval is valid for: the exact call, its directory, the rules in force, and the state
// of the files that it may run, read or overwrite. If any of these differs, the user is asked
// again.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "place/turn_options.hpp"
#include "store/prompts.hpp"
#include "tools/tool.hpp"

namespace chorus::approval {

struct Binding {
    std::string arguments;  // SHA-256 of tool name and canonical arguments
    std::string directory;  // the working directory
    std::string profile;    // fingerprint of the rules in force
    // SHA-256 of the files' state, or one of the words below; "" if the call is bound to no files.
    std::string state;
    place::SeenFiles files = {};  // that state, if this process has it
};

// The person said --even-if-changed.
constexpr std::string_view any_state = "any";
// Too many files to store their state: only the process that saw them can compare.
constexpr std::string_view held_state = "held";

// Binds a command to the whole workspace, a call that writes to the file that it names, and other
// calls to no files.
Binding bind_call(const tools::Tool& tool, const tools::Arguments& arguments, const sys::Root& root,
                  const agent::Directory& own, const std::string& profile);
// `held`: states that only this process has, by prompt.
Binding binding_of(store::Store& store, const store::Prompt& prompt,
                   const std::map<std::string, place::SeenFiles>& held);
void write_binding(const Binding& binding, store::Prompt& prompt);

// "changed: Makefile, src/a.c and 3 more", "the profile has changed"; "" where nothing differs.
std::string difference(const Binding& before, const Binding& now);
// The same for the files only.
std::string changed_files(const Binding& before, const Binding& now);

}  // namespace chorus::approval
