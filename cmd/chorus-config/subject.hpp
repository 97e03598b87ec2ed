// What a verb works on: config.json, or agent.json with the agent's row.
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
    std::optional<sys::Lock> lock = {};  // of those who change the file
};

Subject open_to_read(const Call& call, const sys::Environment& environment);
// Error(forbidden) for a process that a turn has started.
Subject open_to_change(const Call& call, const sys::Environment& environment);
// Takes the lock, and reads again what was read without it.
void lock(Subject& subject);

// Error(config_invalid) where the text would not do as that file, its profiles compiled.
void check_text(const Subject& subject, const std::string& text);

// The agent's row says what is in force. Inside a transaction of the caller.
void refresh_index(Subject& subject, const std::string& text_in_force);

// What was decided reaches the audit sink at once.
void deliver_audit(Subject& subject);

life::Decider decider(const Subject& subject, const sys::Environment& environment);

// Error(forbidden) for more rights than this person may grant.
void check_grant(const Subject& subject, const std::string& part_before, const std::string& part,
                 const sys::Environment& environment);

}  // namespace chorus::config
