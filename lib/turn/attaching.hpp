// Attached files: whether the model takes them, and which of a conversation a request sends.
#pragma once

#include <string>
#include <vector>

#include "place/in_force.hpp"
#include "place/place.hpp"

namespace chorus::turn {

// The attachments of the user's message, without the texts among them, which are part of it. Keys
// in their names are removed.
std::vector<chat::Attachment> attachments_given(const place::Place& place);
// Throws Error(bad_request) that begins with -a if the model does not take one of them, the
// provider not all of them in one request, or the texts make the message too long.
void check_attachments(const place::TurnOptions& options, const place::Settings& settings);
// Stores their bytes. Runs inside a transaction of the caller.
void keep_attachments(place::Place& place);

// Makes the messages of the request send their files, from the newest back as long as the provider
// takes them in one request, and removes others. Those of a message that is not stored yet are in
// the place's options.
void write_attachments(place::Place& place, const place::Settings& settings,
                       chat::Request& request);

}  // namespace chorus::turn
