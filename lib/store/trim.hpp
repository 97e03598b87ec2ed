// Removes rows of the record that are no longer sent, restored or counted.
#pragma once

#include <cstdint>
#include <string>

#include "store/threads.hpp"

namespace chorus::store {

struct Trimmed {
    std::int64_t messages = 0;
    std::int64_t events = 0;
    std::int64_t steps = 0;
};

// Counts what trim() would remove: messages older than `before`, or all messages of an agent that
// was destroyed with its files. Messages are kept if they are in a window (there newer than
// `after_time`), in the time span of a saved session, or of a turn that has not ended. The same for
// events and steps. Turns and the audit log stay.
Trimmed count_trimmable(Store& store, const Agent& agent, base::TimeMs before,
                        base::TimeMs after_time);
// Removes them, in transactions of a few rows each.
Trimmed trim(Store& store, const Agent& agent, base::TimeMs before, base::TimeMs after_time);
// Returns the newest removed message of the thread; 0: none.
std::int64_t newest_trimmed(Store& store, AgentId agent, ThreadId thread);
// Returns free pages of the file to the file system, a few in each transaction; returns the number
// of bytes. A small file created without auto_vacuum is rewritten once, behind the gate; a large
// one is left as it is (returns 0), and its free pages are reused.
std::int64_t release_pages(Store& store, const std::string& gate);

}  // namespace chorus::store
