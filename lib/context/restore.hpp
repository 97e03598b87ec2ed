// A saved session becomes the active context again.
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
    std::size_t left_out = 0;  // results without a call, and what stands before the user's first
    std::size_t added = 0;     // results for calls that had none
};
// As a provider takes them: each thread begins with the user, each call has one result behind it
// and an id of its own, beside those of `taken` too. Messages that were whole stay as they are.
Mended mend(std::vector<SessionMessage> messages, CallIds taken = {});

struct RestoreOptions {
    bool append = false;     // what is there stays, in front of it
    bool save = true;        // what is there is saved first, with trigger pre_restore
    std::string model = {};  // in force, for that session
    base::TimeMs after_time = 0;
};

struct Restoration {
    std::optional<store::Session> saved;
    std::size_t messages = 0;
    std::size_t left_out = 0;
    std::size_t added = 0;
    bool was_there = false;   // appending what is in the context already changes nothing
    std::int64_t before = 0;  // the agent's newest message until then
    std::map<store::ThreadId, std::int64_t> newest = {};  // copy in each thread
};

// For who holds the agent's lock exclusively. The file of what was there, then the copies: with new
// ids, rising times that are the newest of the agent, and the threads that are missing, in parts
// that nobody sees (store/imports.hpp); the last one has the row of that file and the clear.
// Error(agent_busy) where a turn has not ended, Error(failed) where nothing of the session can be
// restored.
Restoration restore_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const store::Session& session, std::vector<SessionMessage> messages,
                            const RestoreOptions& options, const policy::Redaction& redaction);

// Error(agent_busy) that names the turn: what would come behind its calls would tear it.
void require_no_open_turn(store::Store& store, const store::Agent& agent);

}  // namespace chorus::context
