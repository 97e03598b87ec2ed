// A thread forked at one of its messages: where that is, and the rows of the new thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

struct ForkAt {
    std::int64_t message = 0;  // 0: the end of the last turn that came to one
    bool exclude = false;      // the message itself is left out
    std::int64_t rolling_window_ms = 86'400'000;
};

struct ForkPoint {
    std::int64_t message = 0;         // of the thread; the last one kept, or the one left out
    std::vector<chat::Message> kept;  // the window up to there, every call with its result
    std::int64_t unanswered = 0;  // of kept: where a turn begins that has no answer yet; 0: none
    std::int64_t left_out = 0;    // the number of the last turn where it has not come to an end
    std::string commit;           // HEAD of the workspace at that point, "" where nobody knows
    base::TimeMs until = 0;       // what was made later is not of the fork
};

// What the window of that message's turn held, as far as rolling_window reaches: messages that have
// left the window since are there again. Error(not_found) for a message of another thread,
// Error(bad_request) where a call would be parted from its result.
ForkPoint find_fork_point(store::Store& store, const store::Agent& agent,
                          const store::Thread& thread, const ForkAt& at);

// Whether a sub-agent was made by then; one whose making is dated ahead (store/believed.hpp) was.
bool was_there(const store::Agent& child, base::TimeMs until);

// The commit of a point, by the message at which it is.
std::string commit_at(store::Store& store, std::int64_t message);

// The new thread with copies of what the point keeps, and a turn to go on with where an answer is
// missing; copies of the sub-agents in the branch. Inside a transaction of the caller.
store::Thread insert_fork(store::Store& store, const store::Agent& agent,
                          const store::Thread& parent, const std::string& branch,
                          const ForkPoint& point, base::TimeMs now);

}  // namespace chorus::context
