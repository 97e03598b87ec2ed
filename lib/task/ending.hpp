// How the end of a task goes on record; for this room's own use.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/tasks.hpp"
#include "sys/lock_file.hpp"

namespace chorus::task {

// "task_007" or "7"; 0 for what is neither.
std::int64_t number_of(std::string_view id);
// Of the agent's task lock, held by the supervisor: as long as it lives, and while the end of the
// task cannot be put on record.
sys::LockRange range_of(const store::Task& task);
sys::LockRange unrecorded_range_of(const store::Task& task);

// An event: from `previous` to the status that the task has. Inside a transaction of the caller.
void note_change(store::Store& store, const store::Task& task, const char* previous,
                 const std::string& cause);
// The row as the end says, an event, and the message for the agent: one transaction, durable when
// it returns. False where it was on record already.
bool record_end(store::Store& store, const store::Task& task);

}  // namespace chorus::task
