// The request prefix before a thread's messages, recorded whenever it changes, because providers'
// caches start over there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/threads.hpp"

namespace chorus::store {

struct Prefix {
    std::int64_t message_id = 0;    // the newest message of the first request with it
    std::int64_t window_start = 0;  // the oldest message of that request
    std::string model;              // in plain text
    std::string prompt;             // this and the following are hashes
    std::string docs;
    std::string project;
    std::string tools;
    AgentId agent_id = 0;  // this and the following are set by note_prefix()
    ThreadId thread_id = 0;
};

// Records a prefix, at most one per message, inside a transaction of the caller. Does nothing if
// the newest one differs only in message_id. Returns whether a row was written.
bool note_prefix(Store& store, AgentId agent, ThreadId thread, const Prefix& prefix);
std::optional<Prefix> newest_prefix(Store& store, AgentId agent, ThreadId thread);
// Oldest first.
std::vector<Prefix> load_prefixes(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
