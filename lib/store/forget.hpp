// Threads of which nothing is kept (chorus-run --ephemeral): see first_ephemeral_thread.
#pragma once

#include <vector>

#include "store/threads.hpp"

namespace chorus::store {

// Returns an id that none has had.
ThreadId new_ephemeral_thread();
std::vector<ThreadId> ephemeral_threads(Store& store, AgentId agent);
// Deletes the thread with its messages, the attachments that only they have, and its turns, but not
// their rows in the audit log and the ledger, their checkpoints of the workspace, nor their ids,
// which are not used again. What is deleted is overwritten, in the database's log too unless
// another process is reading it.
void forget_thread(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
