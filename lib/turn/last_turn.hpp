// The turn before: waiting, parked, crashed or ended.
#pragma once

#include <optional>
#include <vector>

#include "chat/event.hpp"
#include "store/prompts.hpp"
#include "store/turns.hpp"
#include "turn/place.hpp"
#include "turn/recovery.hpp"

namespace chorus::turn {

// What a result says of a turn that is not taken now.
chat::TurnResult about(store::Store& store, const std::string& agent, const store::Turn& turn);
// A thread that waits answers with its questions again.
chat::TurnResult still_waiting(Place& place, const store::Turn& turn,
                               const std::vector<store::Prompt>& prompts);

struct Asked {
    std::vector<store::Prompt> pending;
    bool decided = false;  // one by a person, and not used up
};
Asked asked_of(Place& place, const store::Turn& turn);
// The result where nothing goes on, with what became of the last turn.
chat::TurnResult nothing_to_do(Place& place, const std::optional<store::Turn>& last);
// Error(no_prompt) where another process has given a turn up between the decision of this one about
// it and the lock: `last` is the thread's last turn now.
void check_not_given_up(Place& place, const TurnOptions& given,
                        const std::optional<store::Turn>& last);

// The end of a hint: the command that gives up the thread's turn, and that it does.
std::string giving_up(const Place& place, store::ThreadId thread);
// One that waits or is parked, with its prompts.
void end_open_turn(Place& place, store::Turn turn, const std::string& reason);
// It was rewound, or a session was restored behind it: what it would go on with comes after that.
bool is_superseded(store::Store& store, const store::Turn& turn);
// Its end was a limit, and whoever resumes it gives another one.
bool has_more_iterations(const TurnOptions& options, const store::Turn& turn);
// Until its time has come, unless a clock that was wrong gave it.
bool is_still_parked(const store::Turn& turn);
// The credential that a parked turn waits for. A turn with another one does not wait.
void keep_cooling(store::Turn& turn, const std::string& credential);
bool waits_for(const store::Turn& turn, const std::string& credential);
chat::TurnResult still_parked(Place& place, const store::Turn& turn);
// What there is to do, and when, about a turn that is parked until `resume_at`.
std::string ways_past_parking(const Place& place, store::ThreadId thread, base::TimeMs resume_at);
void say_recovered(const Surroundings& surroundings, const store::Turn& turn,
                   const std::vector<Unfinished>& calls);

// Before a new turn with that credential: one that waits answers again or is given up, a crashed
// one is closed, and no call of the last turn is left without a result. A result means that nothing
// new may begin: then a message of the user is queued or is not accepted.
std::optional<chat::TurnResult> settle_last_turn(Place& place, const TurnOptions& options,
                                                 const Surroundings& surroundings,
                                                 const std::string& credential);

// What the database or a full disk could not take of a turn is no reason to say all of it again:
// the hint names the turn and --resume. Other errors stay as they are.
base::Error with_way_on(const base::Error& error, const Place& place, const store::Turn& turn);

}  // namespace chorus::turn
