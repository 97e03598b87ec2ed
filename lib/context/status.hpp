// The status block: what else goes on with the agent, rendered once when a user message is
// committed and kept with it.
#pragma once

#include <string>
#include <vector>

#include "store/prompts.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// "" when there is nothing to say. No running seconds: the text is sent unchanged ever after.
std::string status_block(const std::vector<store::Thread>& threads, store::ThreadId own,
                         const std::vector<store::Prompt>& pending);

}  // namespace chorus::context
