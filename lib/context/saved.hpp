// Finds a saved session by its id and reads it back from its file.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "context/export_record.hpp"
#include "context/session_file.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"

namespace chorus::context {

// Returns the beginning of an id, which people are shown and may type.
std::string short_id(const std::string& id);

// Returns the agent's session whose id begins with `id_prefix`, else that of the newest earlier
// agent of the same name. Throws Error(not_found), which names the agent if the session is
// another's, and Error(bad_request) if the prefix is empty or fits several ids.
store::Session require_session(store::Store& store, const store::Agent& agent,
                               const std::string& id_prefix);

// Throws Error(not_found) if the file is gone. Throws Error(failed), which names the file, if it is
// larger than a session can be, differs from what was saved (its hash), is not a session, is from a
// newer Chorus, or is a session other than its row's.
SessionFile load_session(const agent::Home& home, const store::Session& row);

// The same as a record for the exporters. `id` may be a prefix; messages are numbered from 1.
// Throws what require_session and load_session throw.
ExportRecord session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::string& id);

}  // namespace chorus::context
