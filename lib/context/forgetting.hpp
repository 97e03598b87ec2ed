// Ends what chorus-run --ephemeral began: a thread of which nothing is kept.
#pragma once

#include <functional>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// Removes the thread's transcript and its lock, and forgets it (store/forget.hpp). The caller holds
// the thread's lock, or the agent's exclusively.
void forget_thread(const agent::Home& home, store::Store& store, const store::Agent& agent,
                   const store::Thread& thread);
// The same for the threads of turns that were killed, which nobody holds, after `before`.
void forget_leftovers(const agent::Home& home, store::Store& store, const store::Agent& agent,
                      const std::function<void(store::ThreadId)>& before);

}  // namespace chorus::context
