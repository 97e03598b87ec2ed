// Settles what an earlier turn of the thread left undone, before a new turn begins or that one
// continues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "place/place.hpp"
#include "store/turns.hpp"
#include "tools/effect.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

// Closes a turn that did not end by itself. Inside a transaction of the caller.
void write_exit(store::Store& store, store::Turn& turn, const std::string& reason);

struct LastTurn {
    std::optional<store::Turn> turn;  // the thread's newest
    bool crashed = false;             // its process was gone: closed as `exited` just now
};
// Takes over the last turn. Warns of files left by a killed call that programs outside the sandbox
// would obey.
LastTurn take_over(place::Place& place);
// The same, but without the turn if it ended by itself and nothing is left to settle.
LastTurn take_over_unless_idle(place::Place& place);

struct Unfinished {
    chat::ToolCall call;
    store::ToolRun run;
    tools::Trace trace;  // what the call left, if it had begun
    // It never began, only reads, or changed nothing: running it again repeats no effect.
    bool may_run = false;
    std::string plants = {};  // files it left that programs outside the sandbox would obey
};
// Returns the calls of the turn that have no result, in call order. A turn that ended by itself has
// none.
std::vector<Unfinished> unfinished_calls(place::Place& place, const store::Turn& turn);

// "; its calls: 1 done, 2 not begun, 1 unknown", or "" for none.
std::string describe(const std::vector<Unfinished>& calls);

// Gives each call a result: `ok` (its effect was found), `interrupted` (it changed nothing) or
// `unknown` (it may have taken effect); or the outcome given for all. Nothing is run again (promise
// 3).
void settle_calls(Record& record, const std::vector<Unfinished>& calls,
                  std::optional<CallOutcome> outcome_for_all = {});

// The same for the unfinished calls of a turn that does not go on; returns them.
std::vector<Unfinished> settle_unfinished(place::Place& place, const store::Turn& turn,
                                          std::optional<CallOutcome> outcome_for_all);

// --retry: drops the turn's last answers that changed nothing from the window, back to one that did
// or to the user's message. What may have had an effect stays: the model must know of it.
void drop_failed_tail(place::Place& place, const store::Turn& turn);

// Returns the cumulative hash stored with the newest message of the thread's window. Nothing for a
// turn of --fresh, whose requests are not the window, and after one.
std::optional<std::string> stored_chain(place::Place& place, const store::Turn& turn);

// Appends to the transcript what a crash left out of it.
void mend_transcript(place::Place& place);

}  // namespace chorus::turn
