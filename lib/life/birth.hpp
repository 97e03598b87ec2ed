// Creates an agent: directory, repository and row together, all or nothing (promise 6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "life/trust.hpp"
#include "store/agents.hpp"
#include "sys/environment.hpp"
#include "sys/lock.hpp"

namespace chorus::life {

struct BirthOptions {
    std::string name;
    std::optional<std::string> system_prompt;
    std::string model;                       // "": environment, config.json, template, first key
    std::optional<std::string> permissions;  // JSON text: "standard" in quotes, or an object
    std::optional<std::string> description;
    std::optional<std::string> channel;
    std::string template_directory;    // "": the usual one
    std::string place;                 // where its turns work; "": its own workspace
    std::string clone;                 // path or URL to clone as the workspace
    bool submodules = false;           // also of the clone
    std::optional<std::string> adopt;  // a directory or a packed agent; "": the one in place
    bool exist_ok = false;
    bool trust = false;
    Decider decider = {};  // who gave the options
    bool validate_model = true;
    // Imports the conversation stored with an adopted agent's files before the agent is active; the
    // import (store/imports.hpp) is already announced. Returns the number of messages.
    std::function<std::size_t(store::Store&, const agent::Directory&, const store::Agent&)>
        bring_conversation = {};
};

struct Birth {
    store::Agent agent;
    std::string system_prompt;
    std::string model_origin;  // source of the model if it was not given
    bool adopted = false;
    bool existed = false;    // --exist-ok
    std::string moved_from;  // for an existing agent: its previous place, "" if unchanged
    // For an existing agent: options that differ from its state, each with that state.
    std::vector<std::string> unchanged;
    // Trust keys of a foreign agent.json: in force through --trust, or waiting for approval.
    std::vector<agent::TrustChange> trusted;
    std::vector<agent::TrustChange> set_aside;
    // Left out of the agent's source; submodules of a clone end with a slash.
    std::vector<std::string> left_out;
    std::vector<std::string>
        plants;  // files in its workspace that programs would execute or read as configuration
    std::size_t sessions = 0;  // indexed again
    std::size_t messages = 0;  // imported with its conversation
};

// Validates everything before anything is created. Error(exists), Error(config_invalid),
// Error(no_driver), Error(bad_request).
Birth give_birth(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                 BirthOptions options);

// The lock that is held while an agent is created, until it is complete. Error(agent_busy).
sys::Lock require_birth_lock(const agent::Home& home);

// Returns the message that the agent was created, with its model and permissions.
std::string announcement(const Birth& birth);
// The same with the system prompt, as at the beginning of the transcript.
std::string welcome(const Birth& birth);

}  // namespace chorus::life
