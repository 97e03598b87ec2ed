// The comment at the start of a transcript entry, with the message's id; 0 if the entry is not a
// message. From the last mark a turn finds out what a crash left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::agent {

// Returns "<!-- message 9 -->" and a newline.
std::string transcript_mark(std::int64_t message_id);
// Returns nothing if the text has none.
std::optional<std::int64_t> last_transcript_mark(std::string_view text);
// Escapes everything that looks like a mark or another comment.
std::string without_marks(std::string text);

}  // namespace chorus::agent
