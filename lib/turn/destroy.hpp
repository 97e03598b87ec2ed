// chorus-destroy: what runs is stopped, what was said is saved, then the agent ceases to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "life/death.hpp"
#include "store/sessions.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

struct Destroyed {
    store::Agent agent;         // as its row says now
    bool by_another = false;    // a process that was at it already did it all
    std::size_t turns = 0;      // that were at work, or waited, and have been ended
    std::size_t tasks = 0;      // that ran
    std::int64_t prompts = 0;   // that waited for a person
    std::int64_t messages = 0;  // that waited in the inbox
    std::optional<store::Session> session = std::nullopt;  // of the active context, saved now
    std::size_t sessions = 0;                              // files that are left, that one included
};

// An agent of life::require_destroyable, in steps each of which finds what was done before: killed
// or interrupted anywhere, the next call finishes. Waits for another process that is at it. Takes
// the locks it needs.
//
// Turns of the agent and of its descendants are asked to end (SIGTERM), and killed when what they
// have for it is over; then its tasks. The active context becomes a session with trigger `destroy`,
// no model asked, unless the files are purged. Of an agent without a directory nothing can be kept:
// that is a warning, and its sessions are archived.
//
// Errors as of life::check_removable, then nothing has changed. Error(agent_busy) where somebody
// who is no turn does not let go of the agent, Error(canceled) on a signal before the agent is
// held, Error(failed) where a file cannot be written or removed: the agent stays `destroying`.
Destroyed destroy(store::Store& store, const store::Agent& agent, life::Files files,
                  const Surroundings& surroundings);

}  // namespace chorus::turn
