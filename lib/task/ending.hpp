// How the end of a task goes on record; for this room's own use.
#pragma once

#include "store/tasks.hpp"

namespace chorus::task {

// An event: from `previous` to the status that the task has. Inside a transaction of the caller.
void note_change(store::Store& store, const store::Task& task, const char* previous,
                 const std::string& cause);
// The row as the end says, an event, and the message for the agent: one transaction, durable when
// it returns. False where it was on record already.
bool record_end(store::Store& store, const store::Task& task);

}  // namespace chorus::task
