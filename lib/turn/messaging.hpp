// Implements the tools about other agents, and reports a sub-agent's end.
#pragma once

#include <functional>

#include "place/place.hpp"
#include "store/tasks.hpp"
#include "tools/other_agents.hpp"
#include "tools/task_tools.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

// All references must outlive it. A message has the rights and the depth of a task that the turn
// starts.
tools::OtherAgents other_agents_of(place::Place& place, const Record& record, tools::Tasks& tasks);

// Returns the idempotency key of the message that a call leaves.
std::string message_key(store::TurnId turn, const std::string& call_id);

// Leaves the end of a sub-agent's turn in the inbox of the turn that spawned it without waiting for
// it, once. Part of the transaction that ends the turn.
void report_to_spawner(place::Place& place, const chat::TurnResult& result);

}  // namespace chorus::turn
