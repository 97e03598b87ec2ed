// What stood before the messages of a thread's requests, kept where it changed: providers' caches
// begin anew there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/threads.hpp"

namespace chorus::store {

struct Prefix {
    std::int64_t message_id = 0;    // the newest of the first request that had it
    std::int64_t window_start = 0;  // the oldest one
    std::string model;              // in full
    std::string prompt;             // hashes
    std::string docs;
    std::string project;
    std::string tools;
};

// Inside a transaction of the caller, one a message at most: nothing where the newest one differs
// in no more than its message. True where a row was made.
bool note_prefix(Store& store, AgentId agent, ThreadId thread, const Prefix& prefix);
std::optional<Prefix> newest_prefix(Store& store, AgentId agent, ThreadId thread);
// Oldest first.
std::vector<Prefix> load_prefixes(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
