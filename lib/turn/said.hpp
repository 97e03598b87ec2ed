// What the user said, as the message that is stored: the prompt, and what came on stdin with it.
#pragma once

#include <cstdint>
#include <string>

#include "turn/place.hpp"

namespace chorus::turn {

// stdin over 64 KiB becomes a file under artifacts/, which the model can view in parts; the message
// holds its path, size, first 4 KiB and last 12 KiB. The file is whole before the message refers to
// it.
// Without the keys in use. With Keep::no nothing is written: what would be said.
enum class Keep { yes, no };
std::string compose_message(Place& place, const TurnOptions& options, Keep keep, base::TimeMs now);
// From stdin or a file; a prompt of words is what somebody could type.
bool comes_from_elsewhere(const TurnOptions& options);
// Error(bad_request) where it is larger than the room for messages (turn/live.hpp); 0: no limit.
void check_fits(const chat::Message& message, const TurnOptions& options, std::int64_t room);

}  // namespace chorus::turn
