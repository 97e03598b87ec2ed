// Clears a context: the marker of the last clear moves; nothing is deleted.
#pragma once

#include <cstddef>
#include <optional>

#include "agent/layout.hpp"
#include "context/session.hpp"
#include "store/agents.hpp"

namespace chorus::context {

struct Cleared {
    std::size_t messages = 0;   // that left a window; an unfinished turn keeps its own
    std::size_t artifacts = 0;  // that were archived
    std::optional<store::Session> saved;
};
enum class Archive { nothing, artifacts };

// The caller holds the agent's lock exclusively. If `save` is set, the windows of all threads are
// first saved as one session, unless they are empty: the file first, then its row and the clear in
// one transaction. So are the agent's artifacts archived.
Cleared clear_context(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      base::TimeMs after_time, const std::optional<SessionAbout>& save,
                      const policy::Redaction& redaction, Archive archive = Archive::nothing);

}  // namespace chorus::context
