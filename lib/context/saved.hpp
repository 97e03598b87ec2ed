// A saved session found by its id and read back from its file.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "context/session_file.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"

namespace chorus::context {

// What people are shown and may type of an id: its beginning.
std::string short_id(const std::string& id);

// The agent's session whose id begins so, else the newest earlier namesake's. Error(not_found) that
// names the agent it is of where it is another's, Error(bad_request) for the beginning of several
// ids or of none.
store::Session require_session(store::Store& store, const store::Agent& agent,
                               const std::string& id_prefix);

// Error(failed) that names the file: gone, larger than a session can be, not what was saved (its
// hash), no session, of a newer Chorus, or another one than its row says.
SessionFile load_session(const agent::Home& home, const store::Session& row);

}  // namespace chorus::context
