// The status block: what else goes on with the agent, rendered once when a user message is
// committed and kept with it.
#pragma once

#include <string>
#include <vector>

#include "store/prompts.hpp"
#include "store/tasks.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// `stands_in`: the subdirectory in which the person is, "" for none. `tasks`: those that run, and
// those that have ended since the thread was told last. "" when there is nothing to say. No running
// seconds: the text is sent unchanged ever after.
std::string status_block(const std::string& stands_in, const std::vector<store::Thread>& threads,
                         store::ThreadId own, const std::vector<store::Prompt>& pending,
                         const std::vector<store::Task>& tasks);

}  // namespace chorus::context
