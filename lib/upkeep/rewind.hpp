// Goes back to before a message of the user: it and all later messages leave the window and, on
// request, the files of the workspace are restored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "life/find_agent.hpp"
#include "place/turn_options.hpp"
#include "store/store.hpp"
#include "store/threads.hpp"

namespace chorus::upkeep {

struct RewindOptions {
    std::string thread;   // -t, as of a turn
    std::int64_t to = 0;  // a user message that began a turn; 0: no message leaves
    bool workspace = false;
    std::int64_t checkpoint = 0;  // without `to`: the checkpoint to restore
    bool force = false;           // restores what others have changed, too
};

// All paths are relative to the workspace.
struct WorkspaceGoneBack {
    std::int64_t checkpoint = 0;        // 0: nothing was written since
    std::int64_t undo = 0;              // the checkpoint made before; 0: nothing had to change
    std::vector<std::string> put_back;  // changed, created or removed by the rewind
    std::vector<std::string> kept;      // changed since the last turn ended; left as they are
    std::vector<std::string> missing;   // not in the checkpoint; left as they are
    std::string commit_then;            // HEAD before the turn, "" if not known
    std::string commit_now;             // HEAD, which does not move
    std::string branch_then;            // "refs/heads/main"; "" if not known, or none
    std::string branch_now;
};

struct Rewound {
    store::ThreadId thread = 1;
    std::int64_t last = 0;      // the newest message that left; the oldest is `to`
    std::int64_t messages = 0;  // how many left
    std::int64_t given_up = 0;  // number of the turn that was given up; 0: none
    WorkspaceGoneBack workspace;
};

// Checks everything first: Error(not_found) for a message that is not in the thread or has left the
// window, and if there is no checkpoint; Error(bad_request) for a message that began no turn, and
// for a turn that worked elsewhere. Then gives up a turn that waits or was cut short, cancels its
// prompts, restores the workspace and last, in one transaction, removes the messages from the
// window; a killed rewind can be repeated. Error(failed) if paths could not be restored; the
// messages are still there then.
// `held`: the agent's exclusive lock.
Rewound rewind(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const place::Surroundings& surroundings);

}  // namespace chorus::upkeep
