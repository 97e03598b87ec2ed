// What an approval is for: the very call, where it runs, under which rules, and the state of the
// files that it may run, read or overwrite. Any difference asks again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "store/prompts.hpp"
#include "sys/fingerprint.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {

using SeenFiles = std::shared_ptr<const sys::Fingerprint>;

struct Binding {
    std::string arguments;  // SHA-256 of tool name and canonical arguments
    std::string directory;  // worked in
    std::string profile;    // fingerprint of the rules in force
    // SHA-256 of the files' state; "" where the call is bound to none, or one of the words below.
    std::string state;
    SeenFiles files = {};  // that state, where this process has it
};

// The person said --even-if-changed.
constexpr std::string_view any_state = "any";
// Too many files to keep their state: only the process that saw them can tell.
constexpr std::string_view held_state = "held";

// Of a command the whole workspace, of a call that writes the file that it names, else nothing.
Binding bind_call(const tools::Tool& tool, const tools::Arguments& arguments, const sys::Root& root,
                  const agent::Directory& own, const std::string& profile);
// `held`: states that only this process has, by prompt.
Binding binding_of(store::Store& store, const store::Prompt& prompt,
                   const std::map<std::string, SeenFiles>& held);
void write_binding(const Binding& binding, store::Prompt& prompt);

// "changed: Makefile, src/a.c and 3 more", "the profile has changed"; "" where nothing differs.
std::string difference(const Binding& before, const Binding& now);
// The same of the files alone.
std::string changed_files(const Binding& before, const Binding& now);

}  // namespace chorus::turn
