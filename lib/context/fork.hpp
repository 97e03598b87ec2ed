// Forks a thread at one of its messages: finds the point and inserts the rows of the new thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

struct ForkAt {
    std::int64_t message = 0;  // 0: the end of the last finished turn
    bool exclude = false;      // the message itself is left out
    std::int64_t rolling_window_ms = 86'400'000;
};

struct ForkPoint {
    std::int64_t message = 0;         // of the thread; the last one kept, or the one left out
    std::vector<chat::Message> kept;  // the window up to that point, every call with its result
    std::int64_t unanswered = 0;      // of kept: the first of a turn without an answer; 0: none
    std::int64_t left_out = 0;        // the number of the last turn if it is unfinished
    std::string commit;               // HEAD of the workspace at that point, "" if unknown
    base::TimeMs until = 0;           // sub-agents created later are not copied
};

// Returns what the window of that message's turn held, as far as rolling_window reaches, including
// messages that have left the window since. Throws Error(not_found) for a message of another
// thread, and Error(bad_request) if a call would be separated from its result.
ForkPoint find_fork_point(store::Store& store, const store::Agent& agent,
                          const store::Thread& thread, const ForkAt& at);

// Whether a sub-agent existed by then. One whose creation date is not believed (store/believed.hpp)
// counts as existing.
bool was_there(const store::Agent& child, base::TimeMs until);

// Returns the commit of a fork point, given the point's message; "" if unknown.
std::string commit_at(store::Store& store, std::int64_t message);

// Copies the window of a thread to a new one, up to its last answer, as far as rolling_window_ms
// reaches. Inside a transaction of the caller.
void copy_window(store::Store& store, const store::Agent& agent, const store::Thread& from,
                 store::Thread& to, std::int64_t rolling_window_ms);

// Inserts the new thread with copies of the messages kept, a turn to resume if an answer is
// missing, and copies of the branch's sub-agents. Inside a transaction of the caller.
store::Thread insert_fork(store::Store& store, const store::Agent& agent,
                          const store::Thread& parent, const std::string& branch,
                          const ForkPoint& point, base::TimeMs now);

}  // namespace chorus::context
