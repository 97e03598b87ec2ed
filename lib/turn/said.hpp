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
// Error(bad_request) where what came from stdin or a file is larger than the room for messages
// (turn/live.hpp). A prompt of words is what somebody could type.
void check_fits(const chat::Message& message, const TurnOptions& options, std::int64_t room);

}  // namespace chorus::turn
