// The clock of an agent, and timestamps that came from a wrong system clock.
#pragma once

#include "base/time.hpp"
#include "store/agents.hpp"

namespace chorus::store {

constexpr base::TimeMs most_ahead_ms = 86'400'000;

// A time more than a day ahead of the clock is not believed.
inline bool is_believed(base::TimeMs time, base::TimeMs now) {
    return time <= now + most_ahead_ms;
}

// The agent's clock. Returns a time that is at least `wanted` and, except after a time that is not
// believed, never less than the previous one. If such a time is believed later, the system clock
// had been set back in between, and the messages since then get that time. Counts as activity of
// the agent. Runs inside a transaction of the caller, before the message is inserted.
base::TimeMs advance_timestamp(Store& store, AgentId agent, base::TimeMs wanted);
// Returns the newest timestamp of the agent's messages; 0 if it is not believed.
base::TimeMs newest_timestamp(Store& store, AgentId agent);
// Returns the first message id from which timestamps are too early because the clock had been set
// back and no message has been written since; greater than any id if there is none.
std::int64_t first_too_early(Store& store, AgentId agent);
// Returns the agent's last activity. If that time is not believed, returns the newest believed time
// of a message or of the agent's creation, else 0.
base::TimeMs believed_activity(Store& store, const Agent& agent, base::TimeMs now);

}  // namespace chorus::store
