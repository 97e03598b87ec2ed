// What the user said, as the message that is stored: the prompt, and what came on stdin with it.
#pragma once

#include <string>

#include "turn/place.hpp"

namespace chorus::turn {

// stdin over 64 KiB becomes a file under artifacts/, which the model can view in parts; the message
// holds its path, size, first 4 KiB and last 12 KiB. The file is whole before the message refers to it.
std::string compose_message(Place& place, const TurnOptions& options, base::TimeMs now);

}  // namespace chorus::turn
