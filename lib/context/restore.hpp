// Restores a saved session as the active context.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "context/session.hpp"
#include "store/agents.hpp"

namespace chorus::context {

using CallIds = std::map<store::ThreadId, std::set<std::string>>;

struct Mended {
    std::vector<SessionMessage> messages;
    std::size_t left_out = 0;  // results without a call, and messages before the user's first
    std::size_t added = 0;     // results for calls that had none
};
// Makes the messages acceptable to providers: each thread begins with the user, and each call has
// one result after it and an id that is unique, among `taken` too. Complete messages stay as they
// are.
Mended mend(std::vector<SessionMessage> messages, CallIds taken = {});

struct RestoreOptions {
    bool append = false;     // keep the present context, before the session
    bool save = true;        // save the present context first, with trigger pre_restore
    std::string model = {};  // the present one, for that saved session
    base::TimeMs after_time = 0;
};

struct Restoration {
    std::optional<store::Session> saved;
    std::size_t messages = 0;
    std::size_t left_out = 0;
    std::size_t added = 0;
    bool was_there = false;   // it was in the context already, so nothing was appended
    std::int64_t before = 0;  // the agent's newest message before the restore
    std::map<store::ThreadId, std::int64_t> newest = {};  // newest copy in each thread
};

// The caller holds the agent's lock exclusively. Saves the present context to a file, then inserts
// the copies, with new ids and rising times newer than all others of the agent, and missing
// threads, in parts that readers do not see (store/imports.hpp). The last part adds the row of that
// file and the clear. Throws Error(agent_busy) if a turn has not ended, and Error(failed) if
// nothing of the session can be restored.
Restoration restore_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const store::Session& session, std::vector<SessionMessage> messages,
                            const RestoreOptions& options, const policy::Redaction& redaction);

// Throws Error(agent_busy), which names the turn, if one has not ended: messages inserted after its
// calls would separate them from their results.
void require_no_open_turn(store::Store& store, const store::Agent& agent);

}  // namespace chorus::context
