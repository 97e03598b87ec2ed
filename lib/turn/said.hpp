// Composes the stored user message from the prompt and stdin.
#pragma once

#include <cstdint>
#include <string>

#include "place/place.hpp"

namespace chorus::turn {

// stdin over 64 KiB becomes a file under artifacts/, which the model can view in parts; the message
// holds its path, size, first 4 KiB and last 12 KiB. The file is complete before the message refers
// to it.
// Keys in use are removed. With KeepArtifact::no nothing is written.
enum class KeepArtifact { yes, no };
std::string compose_message(place::Place& place, KeepArtifact keep);
// Returns whether the prompt comes from stdin or a file, not from the command line.
bool comes_from_elsewhere(const place::TurnOptions& options);
// Throws Error(bad_request) if the message is larger than `room` (turn/live.hpp); 0: no limit.
void check_fits(const chat::Message& message, const place::TurnOptions& options, std::int64_t room);

}  // namespace chorus::turn
