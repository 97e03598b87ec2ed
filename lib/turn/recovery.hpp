// What an earlier turn of the thread left undone, before a new one begins or it goes on itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/turns.hpp"
#include "tools/effect.hpp"
#include "turn/place.hpp"
#include "turn/record.hpp"

namespace chorus::turn {

// Closes a turn that did not come to its own end. Inside a transaction of the caller.
void write_exit(store::Store& store, store::Turn& turn, const std::string& reason);

struct LastTurn {
    std::optional<store::Turn> turn;  // the thread's newest
    bool crashed = false;  // it was at work and its process is gone: closed as `exited` just now
};
// Tells the user what a call that was killed left for programs outside the sandbox to obey.
LastTurn take_over(Place& place, const Surroundings& surroundings);
// The same, but without the turn where it came to its own end and nothing is left to settle.
LastTurn take_over_unless_idle(Place& place, const Surroundings& surroundings);

struct Unfinished {
    chat::ToolCall call;
    store::ToolRun run;
    tools::Trace trace;  // what the call left, where it had begun
    // It never began, only reads, or everything is as before it: running it doubles nothing.
    bool may_run = false;
    std::string plants = {};  // what it left for programs outside the sandbox to obey
};
// The calls of the turn that have no result, in call order. A turn that came to its own end has
// none.
std::vector<Unfinished> unfinished_calls(Place& place, const store::Turn& turn);

// "; its calls: 1 done, 2 not begun, 1 unknown", or "" for none.
std::string describe(const std::vector<Unfinished>& calls);

// Each of them gets a result: `ok` (its effect was found), `interrupted` (nothing was changed by
// it) or `unknown` (it may have taken effect); or the outcome given for all. Nothing is run again
// (promise 3).
void settle_calls(Record& record, const std::vector<Unfinished>& calls,
                  const std::string& outcome_for_all = {});

// --retry: the turn's last answers that changed nothing leave the window, back to one that did or
// to what the user said. What may have had an effect stays: the model has to know of it.
void drop_failed_tail(Place& place, const store::Turn& turn);

// The cumulative hash stored with the newest message of the thread's window. Nothing for a turn of
// --fresh, whose requests are not the window, and behind one.
std::optional<std::string> stored_chain(Place& place, const store::Turn& turn);

// Appends to the transcript what a crash left out of it.
void mend_transcript(Place& place);

}  // namespace chorus::turn
