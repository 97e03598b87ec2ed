// The state of an agent: what its rows say, with what only the system knows. Nothing here
// needs a lock, and an agent that is being destroyed, or whose directory is gone, has a status too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/prompts.hpp"
#include "store/sessions.hpp"
#include "store/tasks.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"

namespace chorus::turn {

// Of the nine states the one it is in now: unknown where its process is gone and nobody has closed
// it yet.
store::TurnState state_now(const store::Turn& turn);
// A2A's name of it, which events use; "unknown" where it has none.
std::string_view a2a_state(store::TurnState state);
// The signal that ended it, 0: none did, or nobody knows.
int signal_of(const store::Turn& turn);

struct ThreadStanding {
    store::Thread thread;
    std::optional<store::Turn> turn;                  // its newest
    store::TurnState state = store::TurnState::idle;  // of that
    base::TimeMs since = 0;                           // it is at work, or has ended; 0: neither
    std::vector<store::ToolRun> calls;                // that run
    std::vector<store::Prompt> prompts;               // that it waits for
};
bool is_at_work(store::TurnState state);
// What a turn at work does, what it waits for, or how it ended: "calling bash (+3)", three calls so
// far. In one line, not made visible; "" where the state says it all.
std::string what_of(const ThreadStanding& thread);

std::vector<ThreadStanding> standing_of_threads(store::Store& store, const store::Agent& agent);
// The thread whose state is the agent's: one at work before one that waits, is parked or was left;
// else that of the newest turn. Nothing where there was no turn.
const ThreadStanding* foremost(const std::vector<ThreadStanding>& threads);

struct ContextStanding {
    std::int64_t messages = 0;  // in the windows of all threads; none: idle
    base::TimeMs idle_since = 0;
    base::TimeMs idle_until = 0;  // when idle-save would save it; 0: never, as things are
};
struct WorkspaceStanding {
    std::string directory;  // where its turns work
    std::string branch;
    std::int64_t uncommitted = 0;
    std::string problem;  // why neither is known, ""
};
// Opens libgit2 and looks at every file: more than all the rest costs.
WorkspaceStanding workspace_of(const agent::Home& home, const store::Agent& agent);

struct AgentStanding {
    store::Agent agent;
    std::string model;        // as agent.json has it, where that can be read
    std::string permissions;  // likewise
    ContextStanding context;
    std::vector<ThreadStanding> threads;
    std::vector<store::Task> running;
    std::vector<store::Task> ended;  // in the last ten minutes
    std::vector<store::Prompt> prompts;
    std::optional<store::Session> last_session;
    std::vector<std::string> problems;  // what could not be read, and why
};
AgentStanding standing_of(const agent::Home& home, const sys::Environment& environment,
                          store::Store& store, const store::Agent& agent);

struct AgentLine {
    store::Agent agent;
    store::TurnState state = store::TurnState::idle;
    store::Tally tally;
};
// Every agent that is not destroyed, by name.
std::vector<AgentLine> standing_of_all(const agent::Home& home, store::Store& store);

constexpr std::int64_t recently_ms = 600'000;

// Tasks of an active agent whose supervisor is gone are closed, and agent.json says what runs. ""
// or why that could not be done: looking is not kept from anybody by it.
std::string settle_tasks(const agent::Home& home, store::Store& store, const store::Agent& agent);

}  // namespace chorus::turn
