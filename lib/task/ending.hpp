// How the end of a task goes on record; for this room's own use.
#pragma once

#include "store/tasks.hpp"

namespace chorus::task {

// The row as the end says, an event, and the message for the agent: one transaction, durable when
// it returns. False where it was on record already.
bool record_end(store::Store& store, const store::Task& task);

}  // namespace chorus::task
