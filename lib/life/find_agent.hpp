// Finds an agent by name.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/layout.hpp"
#include "store/threads.hpp"
#include "sys/lock.hpp"

namespace chorus::life {

// Returns an active agent, or the sub-agent of that id or directory, after finishing what a crashed
// chorus-init left. Error(not_found) with the known names, Error(exited), Error(not_ready).
store::Agent require_agent(const agent::Home& home, store::Store& store, const std::string& name);
// The same, but also returns an agent that is being destroyed.
store::Agent require_destroyable(const agent::Home& home, store::Store& store,
                                 const std::string& name);
// Reads the row again: one read before a lock was taken may be outdated.
store::Agent require_again(store::Store& store, const store::Agent& agent);
// Takes the agent's lock, then reads its row again: shared for work that may run beside a turn,
// exclusive for other work. Then removes what an interrupted import left. `wait_ms` and `stop` as
// in sys::Lock::acquire. Error(agent_busy) that names the running turn; Error(exited) or
// Error(not_ready) if the agent is gone by then.
struct HeldAgent {
    store::Agent agent;
    sys::Lock lock;
};
HeldAgent hold_agent(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     sys::Lock::Mode mode, std::int64_t wait_ms,
                     const std::function<bool()>& stop = {});
// Returns nothing if the lock is not free now.
std::optional<HeldAgent> try_hold_agent(const agent::Home& home, store::Store& store,
                                        const store::Agent& agent, sys::Lock::Mode mode);
// Returns the agent of that name in any state: the present one, else the sub-agent of that id, else
// the agent destroyed last.
// Error(not_found) with the known names.
store::Agent require_known(const agent::Home& home, store::Store& store, const std::string& name);
}  // namespace chorus::life
