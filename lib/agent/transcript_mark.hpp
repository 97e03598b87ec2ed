// The comment that begins an entry of a transcript and says which message it is; 0 for what is no
// message. By the last one a turn knows what a crash left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::agent {

// "<!-- message 9 -->" and a newline.
std::string transcript_mark(std::int64_t message_id);
// Nothing where the text has none.
std::optional<std::int64_t> last_transcript_mark(std::string_view text);
// What would be taken for one, or for another comment, is taken apart.
std::string without_marks(std::string text);

}  // namespace chorus::agent
