// The end of a context: the marker of the last clear moves, nothing is deleted.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "agent/layout.hpp"
#include "context/session.hpp"
#include "store/agents.hpp"

namespace chorus::context {

struct Cleared {
    std::size_t messages = 0;  // that were in a window and are no more; a turn that is not ended
                               // keeps its own
    std::optional<store::Session> saved;
};

// For who holds the agent's lock exclusively. Where `save` says what about, a session of every
// thread's window first: its file, then its row and the clear in one transaction; none where the
// windows are empty.
Cleared clear_context(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      base::TimeMs after_time, const std::optional<SessionAbout>& save,
                      const policy::Redaction& redaction);

}  // namespace chorus::context
