// The user's message: composed from the prompt and stdin, and with --queue left for the turn that
// is at work, or for the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "place/place.hpp"

namespace chorus::turn {

// stdin over 64 KiB becomes a file under artifacts/, which the model can view
// in parts; the message holds its path, size, first 4 KiB and last 12 KiB. The file is complete
// before the message refers to it. Keys in use are removed. With KeepArtifact::no nothing is
// written.
enum class KeepArtifact { yes, no };
std::string compose_message(place::Place& place, KeepArtifact keep);
// Returns whether the prompt comes from stdin or a file, not from the command line.
bool comes_from_elsewhere(const place::TurnOptions& options);
// Throws Error(bad_request) if the message is larger than `room` (turn/live.hpp); 0: no limit.
void check_fits(const chat::Message& message, const place::TurnOptions& options, std::int64_t room);

// --queue. The place has no locks on entry. If a result is returned, the message is stored (promise
// 1), for the turn at work or, if another command holds the agent, for the next one. Otherwise the
// locks are held now and the caller runs the turn.
std::optional<chat::TurnResult> queue_or_lock(place::Place& place);
// Queues the message when no turn may begin now. Inbox messages never cancel a question; they wait
// for it.
chat::TurnResult queue_behind(place::Place& place);

}  // namespace chorus::turn
