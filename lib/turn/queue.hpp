// --queue: a message for the turn that is at work, or for the next one.
#pragma once

#include <optional>

#include "place/place.hpp"

namespace chorus::turn {

// The place has no locks on entry. If a result is returned, the message is stored (promise 1), for
// the turn at work or, if another command holds the agent, for the next one. Otherwise the locks
// are held now and the caller runs the turn.
std::optional<chat::TurnResult> queue_or_lock(place::Place& place);
// Queues the message when no turn may begin now. Inbox messages never cancel a question; they wait
// for it.
chat::TurnResult queue_behind(place::Place& place);

}  // namespace chorus::turn
