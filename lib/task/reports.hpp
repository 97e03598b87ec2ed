// Reports the end of a sub-agent in the background to the agent above, through its inbox.
#pragma once

#include <string>

#include "store/agents.hpp"
#include "store/tasks.hpp"

namespace chorus::task {

// Leaves the text there, for a sub-agent that runs in a task; once for each sub-agent. Inside a
// transaction of the caller.
void report_sub_agent(store::Store& store, const store::Agent& sub_agent, const std::string& text);
// The idempotency key of that message.
std::string key_of_report(const store::Agent& sub_agent);

}  // namespace chorus::task
