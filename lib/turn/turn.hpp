// chorus-run: one user message in, the model and its tools until the model stops, the answer out.
#pragma once

#include <string>

#include "chat/event.hpp"
#include "place/turn_options.hpp"

namespace chorus::turn {

// Throws base::Error if the turn cannot begin; from then on every end is a result. Messages that
// came into the inbox too late for the turn get turns of their own, after on_end.
chat::TurnResult take_turn(const place::TurnOptions& options,
                           const place::Surroundings& surroundings);

// Returns the request that would be sent, as its provider's JSON; "" if there is none. Commits
// nothing, sends nothing.
std::string dry_run(const place::TurnOptions& options, const place::Surroundings& surroundings);

}  // namespace chorus::turn
