// Times that a clock gave which was wrong.
#pragma once

#include "base/time.hpp"
#include "store/agents.hpp"

namespace chorus::store {

constexpr base::TimeMs most_ahead_ms = 86'400'000;

// Not one that is more than a day ahead of the clock.
inline bool is_believed(base::TimeMs time, base::TimeMs now) {
    return time <= now + most_ahead_ms;
}

// The agent's last activity; where that is not believed the newest time that is: of a message, or
// of its creation, else 0.
base::TimeMs believed_activity(Store& store, const Agent& agent, base::TimeMs now);

}  // namespace chorus::store
