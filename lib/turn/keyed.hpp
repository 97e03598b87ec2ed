// --idempotency-key: a key is one turn, which was begun with one prompt.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "chat/event.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

// Returns a hash of what the user says, which the options of the turn keep.
std::string hash_of_said(const TurnOptions& options);
// Error(bad_request) where the turn was begun with another prompt.
void check_same_prompt(const store::Turn& turn, const TurnOptions& options);
// The turn that has the key, if any. Error(bad_request) as above.
std::optional<store::Turn> turn_of_key(store::Store& store, store::AgentId agent,
                                       const TurnOptions& options);
// Error(bad_request) for --cancel-prompts where the turn that has the key is the one that waits:
// its questions cannot be withdrawn for a message that is its own.
void check_not_its_own(Place& place, const store::Turn& turn, const TurnOptions& options);
// The result where that turn cannot go on now: its message is on record all the same.
chat::TurnResult kept_from_going_on(store::Store& store, const std::string& agent,
                                    const store::Turn& turn, const base::Error& error,
                                    const Surroundings& surroundings);

// That the turn goes on as it was begun, where the options given now say something else; "": they
// do not.
std::string told_of_unused(const Place& place, const store::Turn& turn, const TurnOptions& given);

}  // namespace chorus::turn
