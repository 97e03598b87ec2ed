// The format of a transcript's entries (chorus-session(5), TRANSCRIPT): text for people, from which
// the messages can be read back. What the text does not show exactly is in the entry's mark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"

namespace chorus::context {

// Returns an id or a name as entries show it: on one line.
std::string visible_line(std::string_view text);
// Returns one entry, beginning with "<!-- message ID".
std::string transcript_entry(const chat::Message& message);

// Whether the text has an entry, and is not JSON.
bool is_transcript(std::string_view text);
// Returns the messages as transcript_entry got them, without their status, turn and the blocks of
// a provider. Entries that are no messages are passed over. Of two with the same id, the later one
// counts. Throws Error(bad_request), which begins with `what`.
std::vector<chat::Message> read_transcript(std::string_view text, const std::string& what);

}  // namespace chorus::context
