// The comment at the start of a transcript entry, with the message's id; 0 if the entry is not a
// message. From the last mark a turn finds out what a crash left out. It also has what the entry's
// text does not show exactly, as a JSON object in ASCII without "<" and ">".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::agent {

struct TranscriptMark {
    std::int64_t id = 0;
    std::string_view unshown;  // the JSON object, or ""
    std::size_t end = 0;       // where the entry's text begins
};

// Returns "<!-- message 9 -->" or "<!-- message 9 {...} -->", and a newline.
std::string transcript_mark(std::int64_t message_id, std::string_view unshown = {});
// Returns the first mark at or after `from`, and sets `from` to where it begins.
std::optional<TranscriptMark> next_transcript_mark(std::string_view text, std::size_t& from);
// Returns nothing if the text has none.
std::optional<std::int64_t> last_transcript_mark(std::string_view text);
// Escapes everything that looks like a mark or another comment.
std::string without_marks(std::string text);

}  // namespace chorus::agent
