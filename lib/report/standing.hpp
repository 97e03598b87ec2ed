// The state of an agent, from its rows and the system's processes. Nothing here needs a lock. An
// agent that is being destroyed, or whose directory is gone, has a state too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "life/children.hpp"
#include "store/prompts.hpp"
#include "store/sessions.hpp"
#include "store/tasks.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"

namespace chorus::report {

// Returns the turn's state now: `unknown` if its process is gone and it is not closed yet.
store::TurnState state_now(const store::Turn& turn);
// Returns the state's A2A name, which events use; "unknown" if there is none.
std::string_view a2a_state(store::TurnState state);
// Returns the signal that ended the turn; 0 if none did or it is not known.
int signal_of(const store::Turn& turn);

struct ThreadStanding {
    store::Thread thread;
    std::optional<store::Turn> turn;                  // its newest
    store::TurnState state = store::TurnState::idle;  // of that
    base::TimeMs since = 0;                           // when it began to work, or ended; 0: neither
    std::vector<store::ToolRun> calls;                // running ones
    std::vector<store::Prompt> prompts;               // that it waits for, its sub-agents' too
};
bool is_at_work(store::TurnState state);
// Returns what a turn at work does, what it waits for, or how it ended: "calling bash (+3)", three
// calls so far. One line, not passed through base::visible; "" if there is nothing to add to the
// state.
std::string what_of(const ThreadStanding& thread);

std::vector<ThreadStanding> standing_of_threads(store::Store& store, const store::Agent& agent);
// Returns the thread whose state is shown as the agent's: one at work before one that waits, is
// parked or is `unknown`; else that of the newest turn. Null if there was no turn.
const ThreadStanding* foremost(const std::vector<ThreadStanding>& threads);

struct ContextStanding {
    std::int64_t messages = 0;  // in the windows of all threads; 0: the context is idle
    base::TimeMs idle_since = 0;
    base::TimeMs idle_until = 0;  // when idle-save would save it; 0: never
};
struct WorkspaceStanding {
    std::string directory;  // where its turns work
    std::string branch;
    std::int64_t uncommitted = 0;
    std::string problem;  // why neither is known, or ""
};
// Makes a git call that looks at every file: costs more than all the rest.
WorkspaceStanding workspace_of(const agent::Home& home, const store::Agent& agent);

struct SubAgentStanding : life::SubAgent {
    std::vector<ThreadStanding> threads;  // one
};

struct AgentStanding {
    store::Agent agent;
    std::string model;        // as in agent.json, if that can be read
    std::string permissions;  // likewise
    ContextStanding context;
    std::vector<ThreadStanding> threads;
    std::vector<store::Task> running;
    std::vector<store::Task> ended;  // in the last ten minutes
    std::vector<store::Prompt> prompts;
    std::vector<SubAgentStanding> sub_agents;  // each before those below it, oldest first
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
// Returns every agent that is not destroyed, sorted by name.
std::vector<AgentLine> standing_of_all(const agent::Home& home, store::Store& store);

constexpr std::int64_t recently_ms = 600'000;

// Closes tasks of an active agent whose supervisor is gone, and updates agent.json. Returns "" or
// why that failed; the state can be shown even then.
std::string settle_tasks(const agent::Home& home, store::Store& store, const store::Agent& agent);

}  // namespace chorus::report
