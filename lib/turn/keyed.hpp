// --idempotency-key: a key identifies one turn and the prompt that began it.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "chat/event.hpp"
#include "place/place.hpp"

namespace chorus::turn {

// Returns a hash of prompt and stdin, which is stored with the options of the turn.
std::string hash_of_said(const place::TurnOptions& options);
// Throws Error(bad_request) if the turn was begun with another prompt.
void check_same_prompt(const store::Turn& turn, const place::TurnOptions& options);
// The turn that has the key, if any. Error(bad_request) as above.
std::optional<store::Turn> turn_of_key(store::Store& store, store::AgentId agent,
                                       const place::TurnOptions& options);
// Throws Error(bad_request) for --cancel-prompts if the turn with the key is the one that waits:
// its own message cannot cancel its questions.
void check_not_its_own(place::Place& place, const store::Turn& turn);
// Returns the result if that turn cannot continue now. Its message is recorded in any case.
chat::TurnResult kept_from_going_on(store::Store& store, const std::string& agent,
                                    const store::Turn& turn, const base::Error& error,
                                    const place::Surroundings& surroundings);

// Returns the warning that the turn continues with its own options, if the given ones differ; else
// "".
std::string told_of_unused(const place::Place& place, const store::Turn& turn);

}  // namespace chorus::turn
