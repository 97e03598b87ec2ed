// How an agent comes to be: directory, repository and row together, all or nothing (promise 6).
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
    std::string place;                 // where its turns work; "": in its own workspace
    std::string clone;                 // path or URL the workspace starts as
    bool submodules = false;           // of the clone too
    std::optional<std::string> adopt;  // a directory or a packed agent; "": the one in place
    bool exist_ok = false;
    bool trust = false;
    Decider decider = {};  // whose word the options are
    bool validate_model = true;
    // Brings the conversation that lies beside an adopted agent's files, before the agent is
    // active: it is an import (store/imports.hpp) that is announced. Returns how many messages.
    std::function<std::size_t(store::Store&, const agent::Directory&, const store::Agent&)>
        bring_conversation = {};
};

struct Birth {
    store::Agent agent;
    std::string system_prompt;
    std::string model_origin;  // where the model came from when it was not given
    bool adopted = false;
    bool existed = false;    // --exist-ok
    std::string moved_from;  // of one that existed: where it worked before, "" where it still does
    // Of one that existed: the options that say something else than is so, each with what is so.
    std::vector<std::string> unchanged;
    // Trust keys of an agent.json from elsewhere: in force by --trust, or waiting for a person.
    std::vector<agent::TrustChange> trusted;
    std::vector<agent::TrustChange> set_aside;
    // Of what the agent was made of; submodules of a clone have a slash at the end.
    std::vector<std::string> left_out;
    std::vector<std::string> plants;  // what is in its workspace for programs to obey
    std::size_t sessions = 0;         // indexed again
    std::size_t messages = 0;         // of its conversation
};

// Validates everything before anything is made. Error(exists), Error(config_invalid),
// Error(no_driver), Error(bad_request).
Birth give_birth(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                 BirthOptions options);

// Held by whoever makes an agent, until it is whole. Error(agent_busy).
sys::Lock require_birth_lock(const agent::Home& home);

// What a person is told: that it is there, its model and its permissions.
std::string announcement(const Birth& birth);
// The same with the system prompt: what the transcript begins with.
std::string welcome(const Birth& birth);

}  // namespace chorus::life
