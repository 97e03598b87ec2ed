// What a turn works in: the agent found, its locks held, its thread chosen, its configuration
// loaded. What was read before a lock was held is read again after it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"
#include "sys/beneath.hpp"
#include "sys/lock.hpp"
#include "turn/settings.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

struct Place {
    store::Store store;
    store::Agent agent;
    store::Thread thread;
    agent::Directory directory;
    agent::HomeConfiguration home_configuration;
    sys::Root root;  // the workspace, or -C DIR
    std::optional<sys::Lock> agent_lock;
    std::optional<sys::Lock> key_lock;  // of --idempotency-key
    std::optional<sys::Lock> thread_lock;
    std::optional<store::Turn> keyed = {};  // the turn that has the key, whose thread is then meant
    policy::Redaction redaction = policy::Redaction();  // the keys in use, from their first use on
    bool has_channel = false;      // beside the transcript, as its configuration was last loaded
    std::int64_t newest_post = 0;  // for the channel, when the turn is over; 0: nothing
    // Of what came through the inbox into the turn: it does no more than those who sent it might.
    std::vector<std::string> joined_rights = {};
    bool is_shared = false;                      // anything came so
    std::map<std::string, SeenFiles> held = {};  // TurnOptions::held
    // What a call that was killed left for programs outside the sandbox to obey, a sentence.
    std::string left_plants = {};
    std::string stands_in = {};  // TurnOptions::stands_in
};
// Posted when the turn is over, where there is a channel. Inside a transaction of the caller.
void keep_for_channel(Place& place, store::TurnId turn, const std::string& text);

struct Found {
    store::Store store;
    store::Agent agent;
};
// Error(not_found), Error(exited), Error(not_ready).
Found find_agent(const TurnOptions& options, const Surroundings& surroundings);
// Without a lock. The store goes into the place, unless this throws: Error(bad_request) for -C and
// what a configuration or a directory lacks.
Place open_place(Found& found, const TurnOptions& options, const Surroundings& surroundings);
Place open_place(const TurnOptions& options, const Surroundings& surroundings);
// Takes the locks, and reads again what they keep as it is. Error(agent_busy). With --new-thread
// the place stays, unlocked, the thread that the new one will stand beside.
void lock_place(Place& place, const TurnOptions& options, const Surroundings& surroundings);
// What a turn at work commits waits for other writers no longer than --timeout lets it end: then
// Error(timeout).
void limit_waits(store::Store& store, const TurnOptions& options);
// Whether the turn, which has a key, has its result: it answers again, and nothing is begun.
bool has_answered(const store::Turn& turn);
// The locks of the agent and the thread, where both are free now.
enum class Tried { locked, agent_taken, thread_taken };
Tried try_lock(Place& place, const TurnOptions& options, const Surroundings& surroundings);
// --new-thread: made and locked, once it is known that the turn can begin.
void begin_thread(Place& place, const TurnOptions& options, const Surroundings& surroundings);
// What that turn worked in; nothing where it is gone, or where a link leads there now.
std::optional<sys::Root> root_of(const Place& place, const store::Turn& turn);
struct Wanted {
    std::string path;      // "": the agent's workspace
    bool is_given = true;  // by -C
};
// What a turn works in, where it may be that.
sys::Root root_for(store::Store& store, const agent::Directory& directory, const Wanted& wanted,
                   const agent::Home& home, const sys::Environment& environment);
// The same of a turn that goes on in DIR. Error(bad_request) where DIR is gone or leads elsewhere.
sys::Root root_of_turn(Place& place, const TurnOptions& options, const Surroundings& surroundings);

}  // namespace chorus::turn
