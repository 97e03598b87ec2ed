// chorus-destroy: stops what runs, saves the context, then removes the agent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "life/death.hpp"
#include "place/turn_options.hpp"
#include "store/sessions.hpp"

namespace chorus::upkeep {

struct Destroyed {
    store::Agent agent;         // its row after that
    bool by_another = false;    // another process destroyed it
    std::size_t turns = 0;      // that were at work or waited, and were ended
    std::size_t tasks = 0;      // that ran and were ended
    std::int64_t prompts = 0;   // pending ones that were cancelled
    std::int64_t messages = 0;  // in the inbox, dropped
    std::optional<store::Session> session = std::nullopt;  // the active context, saved now
    std::size_t sessions = 0;                              // files that remain, that one included
};

// Destroys an agent from life::require_destroyable, or a sub-agent; of that only its directory is
// removed or kept. Each step detects what was done before, so that
// after a kill or an interruption at any point the next call finishes. Waits for another process
// that is destroying the agent. Takes the locks it needs.
// Turns of the agent and of its descendants get SIGTERM, and SIGKILL when their time is up; then
// tasks are ended. Unless the files are purged, the active context becomes a session with trigger
// `destroy`, without asking a model. If the agent has no directory, nothing can be kept: this is a
// warning, and its sessions are archived.
// Errors as of life::check_removable; nothing is changed then. Error(agent_busy) if a process that
// is not a turn keeps the agent locked, Error(canceled) on a signal before the lock is taken,
// Error(failed) if a file cannot be written or removed: the agent stays `destroying`.
Destroyed destroy(store::Store& store, const store::Agent& agent, life::Files files,
                  const place::Surroundings& surroundings);

// The active sub-agents below an agent that, like all below them, have done nothing since then and
// have no turn that has not ended; none that is below another one of them.
struct IdleSubAgents {
    struct Kept {
        std::string id;
        std::string work;  // "not committed: sub/"
    };
    std::vector<store::Agent> agents;
    std::vector<Kept> kept;  // those that did what nobody else has
};
IdleSubAgents idle_sub_agents(const agent::Home& home, store::Store& store,
                              const store::Agent& agent, base::TimeMs until);

}  // namespace chorus::upkeep
