// Checks that each request of a thread begins like the one before, as providers' caches require.
#pragma once

#include <cstdint>

#include "store/prefixes.hpp"
#include "store/threads.hpp"

namespace chorus::context {

struct PrefixReport {
    store::ThreadId thread = 1;
    std::int64_t messages = 0;  // whose stored hash equals the recomputed one
    std::int64_t unhashed = 0;  // of turns without hashes (--fresh), and restored ones
    std::int64_t broken = 0;    // the first whose hash differs; 0: none
    // How often a request began differently from the one before, by cause.
    std::int64_t cuts = 0;
    std::int64_t model = 0;
    std::int64_t prompt = 0;
    std::int64_t docs = 0;
    std::int64_t project = 0;
    std::int64_t tools = 0;
};

// Reads every message of the thread once, and again from each cut.
PrefixReport check_prefix(store::Store& store, store::AgentId agent, store::ThreadId thread);

}  // namespace chorus::context
