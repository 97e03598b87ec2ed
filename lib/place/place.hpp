// A place is what a turn works in: agent, locks, thread and configuration. lock_place() reads again
// what was read before a lock that it had to wait for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "life/kept_checkpoints.hpp"
#include "place/in_force.hpp"
#include "place/keyring.hpp"
#include "place/rights.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"
#include "sys/beneath.hpp"
#include "sys/lock.hpp"

namespace chorus::place {

struct Place {
    const Surroundings& surroundings;
    TurnOptions options;
    store::Store store;
    store::Agent agent;
    store::Thread thread;
    agent::Directory directory;
    agent::HomeConfiguration home_configuration;
    model::Catalog catalog;
    sys::Root root;                                     // the workspace, or -C DIR
    policy::Redaction redaction = policy::Redaction();  // the keys in use
    std::optional<sys::Lock> agent_lock = {};
    std::optional<sys::Lock> key_lock = {};  // of --idempotency-key
    std::optional<sys::Lock> thread_lock = {};
    std::optional<store::Turn> keyed = {};  // the turn with the key; its thread is used
    bool has_channel = false;               // as its configuration was last loaded
    std::int64_t newest_post = 0;           // outbox row to post after the turn; 0: none
    // The rights of the senders of inbox messages in the turn, which may do no more than they may.
    std::vector<std::string> joined_rights = {};
    bool is_shared = false;  // others have sent messages
    // A sentence naming files left by a killed call that programs outside the sandbox would obey.
    std::string left_plants = {};

    // Returns the name that records use for the user of the turn.
    std::string actor() const { return actor_text(options.actor, surroundings.environment); }
};
// What is in force in the place for its turn.
struct Loaded : InForce {
    Settings settings;
    Rights rights;
    std::vector<std::string> joined;  // rights of other senders (place/rights.hpp)
};
// Also adds the keys that commands may see to the place's redaction, and notes whether there is a
// channel.
Loaded load(Place& place);
// Returns whether loading again would give the same.
bool is_current(Place& place, const Loaded& loaded);
// Returns the configuration of the turn, with its own permissions if it was given any.
InForce in_force_for(Place& place);
// The keys of its turn. The place must outlive them.
Keys keys_for(Place& place);
// Where checkpoints of the workspace are kept. The place must outlive it.
life::CheckpointSite checkpoint_site(Place& place, const std::function<bool()>& stop = {});
// Stores a text to be posted when the turn is over, if there is a channel. Inside a transaction of
// the caller.
void keep_for_channel(Place& place, store::TurnId turn, const std::string& text);

struct FoundAgent {
    store::Store store;
    store::Agent agent;
    std::optional<sys::Lock> lock = {};
};
// Error(not_found), Error(exited), Error(not_ready).
FoundAgent find_agent(const TurnOptions& options, const Surroundings& surroundings);
// Takes the agent's lock if it is free now, so that what open_place() reads need not be read again.
// Error(exited) or Error(not_ready) if the agent is gone by then.
void hold_if_free(FoundAgent& found, const Surroundings& surroundings);
// Opens the place, and moves the store and the lock into it. If this throws, they are not moved:
// Error(bad_request) for -C, and the errors of configuration and directory.
Place open_place(FoundAgent& found, const TurnOptions& options, const Surroundings& surroundings);
Place open_place(const TurnOptions& options, const Surroundings& surroundings);
// Returns whether the turn with the key has its result, which is then returned again.
bool has_answered(const store::Turn& turn);
// Returns the directory the agent's turn worked in; nothing if it is gone or is a link now.
std::optional<sys::Root> root_of(store::Store& store, const agent::Home& home,
                                 const store::Agent& agent, const store::Turn& turn);
// Returns the end of a hint: the command that gives up the thread's turn.
std::string giving_up(const Place& place, store::ThreadId thread);
struct WantedDirectory {
    std::string path;      // "": the agent's workspace
    bool is_given = true;  // by -C
};
WantedDirectory wanted_by(const TurnOptions& options, const store::Agent& agent);
// Returns the directory a turn works in, after checking that it may be used; without files that
// hold keys of profiles, and of a sub-agent as far as its paths reach.
sys::Root root_for(store::Store& store, const store::Agent& agent, const WantedDirectory& wanted,
                   const agent::Home& home, const sys::Environment& environment);
// The same for a turn that continues in DIR. Error(bad_request) if DIR is gone or leads elsewhere.
sys::Root root_of_turn(Place& place);
// Hides from commands what the root hides. A mode that mounts nothing cannot hide single files:
// then a sub-agent runs no command, and Landlock hides files with keys.
void confine(sys::Sandbox& sandbox, const sys::Root& root);

}  // namespace chorus::place
