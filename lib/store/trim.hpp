// The record made smaller: what nothing sends, restores or counts any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/threads.hpp"

namespace chorus::store {

struct Trimmed {
    std::int64_t messages = 0;
    std::int64_t events = 0;
    std::int64_t steps = 0;
};

// What an agent has too much of: messages older than `before`, or all of an agent that was
// destroyed with its files, but for those of a window, whose messages are newer than
// `after_time`, of the time that a saved session spans, and of a turn that has not ended; events
// and steps likewise. Turns and the audit log stay.
Trimmed count_trimmable(Store& store, const Agent& agent, base::TimeMs before,
                        base::TimeMs after_time);
// Removes it, in transactions of a few rows each.
Trimmed trim(Store& store, const Agent& agent, base::TimeMs before, base::TimeMs after_time);
// The newest message of the thread that was removed; 0: none.
std::int64_t newest_trimmed(Store& store, AgentId agent, ThreadId thread);
// Whoever there ever was, children too; by id.
std::vector<Agent> all_agents(Store& store);
// Gives free pages of the file back, a few in each transaction; the bytes. A file that was made
// without that is written anew once where it is small, behind the gate; else, 0: its pages are used
// again.
std::int64_t release_pages(Store& store, const std::string& gate);

}  // namespace chorus::store
