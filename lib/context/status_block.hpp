// The status block: the agent's other activity, rendered once when a user message is committed and
// stored with it.
#pragma once

#include <string>
#include <vector>

#include "store/prompts.hpp"
#include "store/tasks.hpp"
#include "store/threads.hpp"

namespace chorus::context {

struct OtherThreads {
    std::vector<store::Thread> listed;
    std::size_t left_out = 0;
};
// Returns the threads to list beside the turn's own.
OtherThreads other_threads(store::Store& store, store::AgentId agent, store::ThreadId own);

// `stands_in` is the subdirectory that the user is in, "" for none. `tasks` are those that have
// ended since the thread's last status and those that run; of them and of the questions the last
// ones are listed. Returns "" if there is nothing to report. It holds no elapsed times, as the same
// text is sent with every later request.
std::string status_block(const std::string& stands_in, const OtherThreads& others,
                         const std::vector<store::Prompt>& pending,
                         const std::vector<store::Task>& tasks);

}  // namespace chorus::context
