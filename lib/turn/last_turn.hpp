// The previous turn of the thread: waiting, parked, crashed or ended.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "chat/event.hpp"
#include "place/place.hpp"
#include "store/prompts.hpp"
#include "store/turns.hpp"
#include "turn/recovery.hpp"

namespace chorus::turn {

// Sets how a turn ended that is not answered, and the exit status that the error means.
void set_end(chat::TurnResult& result, chat::State state, std::string reason, base::Error error);
// Returns a result that describes a turn without running it.
chat::TurnResult about(store::Store& store, const std::string& agent, const store::Turn& turn);
// Returns the result of a turn that still waits: its questions again.
chat::TurnResult still_waiting(place::Place& place, const store::Turn& turn,
                               const std::vector<store::Prompt>& prompts);

// The questions of a turn and of its sub-agents.
struct Asked {
    std::vector<store::Prompt> pending;
    std::vector<std::string> decided = {};  // ids of those whose decision is not consumed yet
    bool has_expired = false;               // nobody decided one in time
};
Asked asked_of(place::Place& place, const store::Turn& turn);
// Returns the result if the turn waits for a decision of its own, or none was made for any of its
// sub-agents.
std::optional<chat::TurnResult> still_asked(place::Place& place, const store::Turn& turn);
// Returns the result if there is nothing to continue; it describes the last turn.
chat::TurnResult nothing_to_do(place::Place& place, const std::optional<store::Turn>& last);
bool has_inbox(place::Place& place);
// Whether the turn took messages from the inbox, and was killed, failed or parked since: they have
// no answer, and nothing else would bring them up again.
bool leaves_messages(store::Store& store, const store::Turn& turn);
// --inbox: returns the result if no message can begin a turn now: none is queued, or the last turn
// waits for a person; whoever ends that turn takes up the messages. Needs no lock, so that a task
// which ends does not keep a person from the thread.
std::optional<chat::TurnResult> nothing_to_take_up(place::Place& place);
// Throws Error(no_prompt) if another process gave up the turn after this process decided about it
// and before it got the lock. `last` is the thread's last turn now.
void check_not_given_up(place::Place& place, const std::optional<store::Turn>& last);

// Sets the agent and thread of the turn that continues when the prompt is decided: if it is a
// sub-agent's, that of the call at the top.
void continue_from_top(place::TurnOptions& options, place::Place& place,
                       const store::Prompt& decided);
// --resume of a sub-agent for which a turn above waits: the options that continue the turn at the
// top; null if none waits. Not on the stack: they are large.
std::unique_ptr<place::TurnOptions> from_top(const place::TurnOptions& given, store::Store& store,
                                             const store::Agent& agent);

// Ends a turn that waits or is parked, with those of its sub-agents, and cancels the prompts.
void end_open_turn(place::Place& place, store::Turn turn, std::string_view reason);
// The same for the sub-agents of a turn that was cut short and does not go on.
void end_waiting_below(place::Place& place, const store::Turn& turn);
// Returns whether the turn was rewound or a session was restored after it, so that it cannot
// continue.
bool is_superseded(store::Store& store, const store::Turn& turn);
// Returns whether the turn ended at max_iterations and a new limit is given.
bool may_go_on(const place::TurnOptions& options, const store::Turn& turn);
// Returns whether the turn's resume_at is in the future; no if a wrong clock set it.
bool is_still_parked(const store::Turn& turn);
constexpr std::string_view rate_limited_reason = "all_profiles_rate_limited";
// Store and compare the credential that a parked turn waits for. With another one it does not wait.
void keep_cooling(store::Turn& turn, const std::string& credential);
bool waits_for(const store::Turn& turn, const std::string& credential);
// Returns the result of a parked turn that may not go on with that credential yet.
std::optional<chat::TurnResult> still_parked(place::Place& place, const store::Turn& turn,
                                             const std::string& credential);
// Whether a turn sleeps while it is parked: with --wait-parked, within its --timeout.
bool may_sleep_until(const place::Place& place, base::TimeMs resume_at);
// Returns the hint for a turn that is parked until `resume_at`.
std::string ways_past_parking(const place::Place& place, store::ThreadId thread,
                              base::TimeMs resume_at);
void say_recovered(const place::Place& place, const store::Turn& turn,
                   const std::vector<Unfinished>& calls);

// Settles the last turn before a new turn with that credential: a waiting one answers again or is
// given up, a crashed one is closed, and every call gets a result. If a result is returned, no new
// turn may begin; the user's message was queued or not accepted.
std::optional<chat::TurnResult> settle_last_turn(place::Place& place,
                                                 const std::string& credential);

// --resume and --retry without -t: returns the options with the thread of the one turn that can
// continue now; if there is none, of the one that waits or is parked; else as given, which means
// the branch that `current` names. If there are several, Error(bad_request) lists those that can
// continue, Error(input_required) those that wait.
place::TurnOptions with_thread(const place::TurnOptions& given, place::FoundAgent& found,
                               const place::Surroundings& surroundings);

// Adds a hint with the turn and --resume to an error of the database or a full disk, since the turn
// can continue without a new prompt. Returns other errors unchanged.
base::Error with_way_on(const base::Error& error, const place::Place& place,
                        const store::Turn& turn);

}  // namespace chorus::turn
