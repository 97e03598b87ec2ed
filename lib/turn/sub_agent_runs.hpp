// Runs the sub-agents that a turn spawns, each in a process of its own.
#pragma once

#include <string>

#include "place/place.hpp"
#include "place/shutdown.hpp"
#include "tools/sub_agents.hpp"
#include "tools/task_tools.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

// Returns what spawn_agent works with. All references must outlive it. What the
// sub-agents do is emitted as Subtask events. A sub-agent's process has an
// empty environment; what it needs of this one's, keys included, comes over a descriptor
// (sys::Environment).
tools::SubAgents sub_agents_of(place::Place& place, const place::Loaded& loaded, Record& record,
                               const place::Shutdown& shutdown, tools::Tasks& tasks);

}  // namespace chorus::turn
