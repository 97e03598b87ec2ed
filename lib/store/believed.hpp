// Times that a clock gave which was wrong, and the clock of an agent.
#pragma once

#include "base/time.hpp"
#include "store/agents.hpp"

namespace chorus::store {

constexpr base::TimeMs most_ahead_ms = 86'400'000;

// Not one that is more than a day ahead of the clock.
inline bool is_believed(base::TimeMs time, base::TimeMs now) {
    return time <= now + most_ahead_ms;
}

// The agent's clock: what it gives out never goes back, but from a time that is not believed. Where
// such a time is believed later the clock had gone back meanwhile: the messages since then get that
// time. Counts as the agent's activity. Inside a transaction of the caller, before the message is
// inserted. The time that counts, at least `wanted`.
base::TimeMs advance_timestamp(Store& store, AgentId agent, base::TimeMs wanted);
// No message of the agent is newer, but of a time that is not believed.
base::TimeMs newest_timestamp(Store& store, AgentId agent);
// The times of the agent's messages from that id on are too early, as the clock had gone back and
// no message has been written since; more than any id: there are none.
std::int64_t first_too_early(Store& store, AgentId agent);
// The agent's last activity; where that is not believed the newest time that is: of a message, or
// of its creation, else 0.
base::TimeMs believed_activity(Store& store, const Agent& agent, base::TimeMs now);

}  // namespace chorus::store
