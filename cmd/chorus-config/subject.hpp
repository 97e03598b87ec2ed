// The file a verb works on: config.json, or agent.json with the agent's row.
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "chorus-config/call.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"
#include "sys/lock.hpp"

namespace chorus::config {

struct Subject {
    agent::Home home;
    std::string path;  // of the file
    std::string text;  // "{}" where there is no config.json
    std::optional<store::Store> store = {};
    std::optional<store::Agent> agent = {};
    std::optional<sys::Lock> lock = {};  // held while the file is changed
};

Subject open_to_read(const Call& call, const sys::Environment& environment);
// Error(forbidden) in a process started by a turn.
Subject open_to_change(const Call& call, const sys::Environment& environment);
// Takes the lock and reads agent and file again.
void lock(Subject& subject);

// Error(config_invalid) if the text is not valid for that file; profiles are compiled too.
void check_text(const Subject& subject, const std::string& text);

// Updates the agent's row from the text in force. Runs inside a transaction of the caller.
void refresh_index(Subject& subject, const std::string& text_in_force);

// Sends new rows of the audit log to the audit sink.
void deliver_audit(Subject& subject);

life::Decider decider(const Subject& subject, const sys::Environment& environment);

// Error(forbidden) if the change gives more rights than this person may grant.
void check_grant(const Subject& subject, const std::string& part_before, const std::string& part,
                 const sys::Environment& environment);

}  // namespace chorus::config
