// The verbs of chorus-config, and the file they work on: config.json, or agent.json with the
// agent's row.
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.hpp"
#include "agent/editing.hpp"
#include "command/verb.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"
#include "sys/lock.hpp"

namespace chorus::command {

extern const cli::Verb doctor_verb;
extern const cli::Verb env_verb;
extern const cli::Verb get_verb;
extern const cli::Verb list_verb;
extern const cli::Verb login_verb;
extern const cli::Verb models_verb;
extern const cli::Verb profiles_verb;
extern const cli::Verb set_verb;
extern const cli::Verb trim_verb;
extern const cli::Verb trust_verb;
extern const cli::Verb unset_verb;

// -A.
struct OfFile : Printing {
    void add_agent(cli::Command& verb);
    agent::File file() const { return agent.empty() ? agent::File::home : agent::File::agent; }
    std::string agent;  // "": config.json
};

struct OfKey : OfFile {
    explicit OfKey(cli::Command& verb);
    // Returns where the key is. Error(bad_request) if there is no such key; the hint names similar
    // ones.
    agent::KeyPlace require_place() const;
    // Prints the value in force.
    void print_value(const Begun& begun, const agent::KeyPlace& place) const;
    std::string key;
};

struct Subject {
    agent::Home home;
    std::string path;  // of the file
    std::string text;  // "{}" where there is no config.json
    std::optional<store::Store> store = {};
    std::optional<store::Agent> agent = {};
    std::optional<sys::Lock> lock = {};  // held while the file is changed
};

// The agent's name is "" for config.json.
Subject open_to_read(const Begun& begun, const std::string& agent);
// Error(forbidden) in a process started by a turn.
Subject open_to_change(const Begun& begun, const std::string& agent);
// Takes the lock and reads agent and file again.
void lock(Subject& subject);

// Error(config_invalid) if the text is not valid for that file; profiles are compiled too.
void check_text(const Subject& subject, const std::string& text);

// Writes a file of the home that only its owner may read; if it is a link, its target.
void write_private(const std::string& path, const std::string& text);

// Updates the agent's row from the text in force. Runs inside a transaction of the caller.
void refresh_index(Subject& subject, const std::string& text_in_force);

// Sends new rows of the audit log to the audit sink.
void deliver_audit(Subject& subject);

// Returns the line of a setting: what follows the name begins at a column, unless the name is
// longer, and so does the value.
struct SettingColumns {
    std::size_t origin;
    std::size_t value;
};
std::string setting_line(std::string name, const std::string& origin, const std::string& value,
                         const SettingColumns& columns);

life::Decider decider(const Begun& begun);

}  // namespace chorus::command
