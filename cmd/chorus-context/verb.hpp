// A verb of chorus-context is a file in this directory and a row in the table of
// chorus-context.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "chat/dialect.hpp"
#include "cli/command.hpp"
#include "cli/field.hpp"
#include "life/find_agent.hpp"
#include "store/store.hpp"
#include "store/threads.hpp"
#include "sys/environment.hpp"
#include "sys/named_file.hpp"

namespace chorus::context_command {

constexpr const char* program = "chorus-context";

// The arguments of a verb. The store is open if the row of the verb says so.
struct Opened {
    sys::Environment environment;
    agent::Home home;
    std::optional<store::Store> store;
};

using Action = std::function<base::ExitStatus(Opened&)>;

enum class Needs { home, store };

struct Verb {
    std::string_view name;
    std::string_view help;
    Needs needs = Needs::store;
    Action (*add)(cli::Command& verb) =
        nullptr;  // adds the options; returns what runs after parsing
};

Action add_artifacts(cli::Command& verb);
Action add_audit(cli::Command& verb);
Action add_backup(cli::Command& verb);
Action add_branch(cli::Command& verb);
Action add_branches(cli::Command& verb);
Action add_clear(cli::Command& verb);
Action add_compact(cli::Command& verb);
Action add_explain(cli::Command& verb);
Action add_export(cli::Command& verb);
Action add_history(cli::Command& verb);
Action add_idle_save(cli::Command& verb);
Action add_import(cli::Command& verb);
Action add_log(cli::Command& verb);
Action add_messages(cli::Command& verb);
Action add_pack(cli::Command& verb);
Action add_restore(cli::Command& verb);
Action add_rewind(cli::Command& verb);
Action add_save(cli::Command& verb);
Action add_search(cli::Command& verb);
Action add_show(cli::Command& verb);
Action add_switch(cli::Command& verb);
Action add_usage(cli::Command& verb);
Action add_verify(cli::Command& verb);

// --- what verbs share ---

// NAME, and --wait[=TIME] for a verb that holds the agent.
struct Named {
    std::string name;
    std::optional<std::string> wait;  // "": without limit
};
void add_name(cli::Command& verb, Named& named);
void add_name_and_wait(cli::Command& verb, Named& named);
store::Agent require_agent(Opened& opened, const Named& named);
life::HeldAgent hold_agent(Opened& opened, const Named& named, sys::Lock::Mode mode);
// Holds exactly this agent, not a later one of the same name.
life::HeldAgent hold_agent(Opened& opened, const Named& named, const store::Agent& agent,
                           sys::Lock::Mode mode);

// A file to write, and whether an existing one may be replaced.
struct Output {
    std::string file;
    bool force = false;
};
void add_force(cli::Command& verb, Output& output);
// Error(exists) if it exists without --force, Error(bad_request) if it is in the home.
sys::OutputFile output_file(const Opened& opened, const Output& output);

// Reads the id of a message. Error(bad_request) names the option, "--at".
std::int64_t require_message_id(const std::string& text, const char* option);

// Finds the thread of -t; "": that of the branch which `current` names.
store::Thread require_thread(Opened& opened, const store::Agent& agent, const std::string& wanted);

using chat::write_number;
using chat::write_text;
using chat::write_time;
using cli::counted;
using cli::one_line;
void notice(const std::string& what);

}  // namespace chorus::context_command
