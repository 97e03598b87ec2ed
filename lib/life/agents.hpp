// An agent by its name.
#pragma once

#include <functional>
#include <string>

#include "agent/layout.hpp"
#include "store/threads.hpp"
#include "sys/lock.hpp"

namespace chorus::life {

// One that is active; what a crash of chorus-init left is finished first. Error(not_found) listing
// those there are, Error(exited), Error(not_ready).
store::Agent require_agent(const agent::Home& home, store::Store& store, const std::string& name);
// The same for one that may be in the middle of being destroyed.
store::Agent require_destroyable(const agent::Home& home, store::Store& store,
                                 const std::string& name);
// The same one as its row is now: what was read before a lock was held may be of yesterday.
store::Agent require_again(store::Store& store, const store::Agent& agent);
// The agent's lock, then its row as it is now: shared for what may go on beside a turn, exclusive
// for what may not. What an import left that was broken off is removed then. `wait_ms` and `stop`
// as of sys::Lock::acquire. Error(agent_busy) that names the turn at work; Error(exited),
// Error(not_ready) where the agent is gone by then.
struct HeldAgent {
    store::Agent agent;
    sys::Lock lock;
};
HeldAgent hold_agent(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     sys::Lock::Mode mode, std::int64_t wait_ms,
                     const std::function<bool()>& stop = {});
// The agent of that name whatever has become of it: the one there is, else the one destroyed last.
store::Agent require_known(store::Store& store, const std::string& name);
// For what is read of an agent that was destroyed too: Error(not_found) that lists the names there
// are.
void require_known_agent(store::Store& store, const std::string& name);

}  // namespace chorus::life
