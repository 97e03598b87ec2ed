// Records the end of a task; for this room's own use.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/tasks.hpp"
#include "sys/lock.hpp"

namespace chorus::task {

// Parses "task_007" or "7"; returns 0 for anything else.
std::int64_t number_of(std::string_view id);
// Ranges of the agent's task lock, held by the supervisor: the first as long as it lives, the
// second while it cannot record the end of the task.
sys::LockRange range_of(const store::Task& task);
sys::LockRange unrecorded_range_of(const store::Task& task);

// Records an event: from `previous` to the status that the task has. Inside a transaction of the
// caller.
void note_change(store::Store& store, const store::Task& task, const char* previous,
                 const std::string& cause);
// Records the end in the row, an event, the message for the agent, and what it left for programs
// outside the sandbox to obey (sys::PlantReport::record): one transaction, durable on return.
// Returns false where the end was recorded already.
bool record_end(store::Store& store, const store::Task& task, const std::string& plants);
// Reports sub-agents whose process ended after their supervisor, of the last day.
void report_lost(store::Store& store, store::AgentId agent);

}  // namespace chorus::task
