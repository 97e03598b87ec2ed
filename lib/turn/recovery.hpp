// What an earlier turn of the thread left undone, before a new one begins or it goes on itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/turns.hpp"
#include "turn/place.hpp"
#include "turn/record.hpp"

namespace chorus::turn {

// Closes a turn that did not come to its own end. Inside a transaction of the caller.
void write_exit(Place& place, store::Turn& turn, const std::string& reason);

struct LastTurn {
    std::optional<store::Turn> turn;  // the thread's newest
    bool crashed = false;  // it was at work and its process is gone: closed as `exited` just now
};
LastTurn take_over(Place& place);

struct Unfinished {
    chat::ToolCall call;
    store::ToolRun run;
};
// The calls of the turn that have no result, in call order. A turn that came to its own end has
// none.
std::vector<Unfinished> unfinished_calls(store::Store& store, const store::Turn& turn);

// Each of them gets a result: `interrupted` (never started, or only reading) or `unknown` (it may
// have taken effect); or the outcome given for all. Nothing is run again (promise 3).
void settle_calls(Record& record, const std::vector<Unfinished>& calls,
                  const std::string& outcome_for_all = {});

// The cumulative hash stored with the thread's newest message; nothing behind a turn that keeps
// none.
std::optional<std::string> stored_chain(Place& place);

// Appends to the transcript what a crash left out of it.
void mend_transcript(Place& place);

}  // namespace chorus::turn
