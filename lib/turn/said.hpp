// What the user said, as the message that is stored: the prompt, and what came on stdin with it.
#pragma once

#include <string>

#include "turn/place.hpp"

namespace chorus::turn {

// stdin over 64 KiB becomes a file under artifacts/, which the model can view in parts; the message
// holds its path, size, first 4 KiB and last 12 KiB. The file is whole before the message refers to
// it.
// Without the keys in use. With Keep::no nothing is written: what would be said.
enum class Keep { yes, no };
std::string compose_message(Place& place, const TurnOptions& options, Keep keep, base::TimeMs now);

}  // namespace chorus::turn
