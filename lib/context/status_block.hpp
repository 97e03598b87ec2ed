// The status block: the agent's other activity, rendered once when a user message is committed and
// stored with it.
#pragma once

#include <string>
#include <vector>

#include "store/prompts.hpp"
#include "store/tasks.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// `stands_in` is the subdirectory that the user is in, "" for none. `tasks` are those that run and
// those that have ended since the thread's last status. Returns "" if there is nothing to report.
// It holds no elapsed times, as the same text is sent with every later request.
std::string status_block(const std::string& stands_in, const std::vector<store::Thread>& threads,
                         store::ThreadId own, const std::vector<store::Prompt>& pending,
                         const std::vector<store::Task>& tasks);

}  // namespace chorus::context
