// Threads of which nothing is kept (chorus-run --ephemeral).
#pragma once

#include <vector>

#include "store/threads.hpp"

namespace chorus::store {

// Notes that the thread is to be forgotten. Inside a transaction of the caller.
void mark_ephemeral(Store& store, AgentId agent, ThreadId thread);
bool is_ephemeral(Store& store, AgentId agent, ThreadId thread);
std::vector<ThreadId> ephemeral_threads(Store& store, AgentId agent);
// Deletes the thread with its messages, the attachments that only they have, and its turns, but not
// their rows in the audit log and the ledger, their checkpoints of the workspace, nor their ids,
// which are not used again. What is deleted is overwritten.
void forget_thread(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
