// Back to before something the user said: what came since leaves the window, and with it, where
// that is wanted, the workspace.
#pragma once

#include <cstdint>
#include <string>

#include "life/agents.hpp"
#include "repo/repository.hpp"
#include "store/store.hpp"
#include "store/threads.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

struct RewindOptions {
    std::string thread;   // -t, as of a turn
    std::int64_t to = 0;  // the id of a message of the user that began a turn
    bool workspace = false;
};

struct Rewound {
    store::ThreadId thread = 1;
    std::int64_t last = 0;      // the thread's newest message that left; from `to` on
    std::int64_t messages = 0;  // how many did
    std::int64_t given_up = 0;  // the number of the turn that had not ended, 0: none
    std::string commit;         // where the workspace is now; "" where it was not asked for
    repo::Aside aside;          // what was there
};

// Everything is checked first: Error(not_found) for a message that the thread has not, or has
// taken back already, and where nobody knows the commit or the workspace lacks it;
// Error(bad_request) for a message that began no turn, and a turn that worked elsewhere. Then a
// turn that waits, or was cut short, is given up, its prompts cancelled; the workspace goes back,
// and last, in one transaction, the messages leave: one that was killed is done again.
// `held`: the agent's lock, exclusively.
Rewound rewind(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const Surroundings& surroundings);

}  // namespace chorus::turn
