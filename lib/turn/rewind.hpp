// Back to before something the user said: what came since leaves the window, and where that is
// wanted the files of the workspace are as they were then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "life/agents.hpp"
#include "store/store.hpp"
#include "store/threads.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

struct RewindOptions {
    std::string thread;   // -t, as of a turn
    std::int64_t to = 0;  // the id of a message of the user that began a turn; 0: none leaves
    bool workspace = false;
    std::int64_t checkpoint = 0;  // without `to`: the workspace goes back to that one
    bool force = false;           // what others have changed in it, too
};

// All paths are relative to it.
struct WorkspaceGoneBack {
    std::int64_t checkpoint = 0;        // 0: nothing has been written there since
    std::int64_t undo = 0;              // the one made before; 0: nothing had to change
    std::vector<std::string> put_back;  // changed, made or removed by that
    std::vector<std::string> kept;      // changed since the last turn ended: as they are
    std::vector<std::string> missing;   // not in the checkpoint: as they are
    std::string commit_then;            // HEAD before the turn, "" where that is not known
    std::string commit_now;             // HEAD, which stays
};

struct Rewound {
    store::ThreadId thread = 1;
    std::int64_t last = 0;      // the thread's newest message that left; from `to` on
    std::int64_t messages = 0;  // how many did
    std::int64_t given_up = 0;  // the number of the turn that had not ended, 0: none
    WorkspaceGoneBack workspace;
};

// Everything is checked first: Error(not_found) for a message that the thread has not, or has
// taken back already, and where there is no checkpoint; Error(bad_request) for a message that began
// no turn, and a turn that worked elsewhere. Then a turn that waits, or was cut short, is given up,
// its prompts cancelled; the workspace goes back, and last, in one transaction, the messages leave:
// one that was killed is done again. Error(failed) where paths could not be put back; the messages
// are there then.
// `held`: the agent's lock, exclusively.
Rewound rewind(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const Surroundings& surroundings);

}  // namespace chorus::turn
