// Conditions that leave out what an import that is under way, or was killed, has written. Include
// it in .cpp files only.
#pragma once

#include <string>
#include <string_view>

namespace chorus::store {

// On "messages AS message" and "turns AS turn". SQLite evaluates the first comparison's other side
// once, not for each row.
constexpr std::string_view is_known_message =
    " (message.id < (SELECT coalesce(min(first_message), 9223372036854775807) FROM imports) OR NOT "
    "EXISTS (SELECT 1 FROM imports WHERE message.id BETWEEN first_message AND last_message)) ";
constexpr std::string_view is_known_turn =
    " (turn.id < (SELECT coalesce(min(first_turn), 9223372036854775807) FROM imports) OR NOT "
    "EXISTS (SELECT 1 FROM imports WHERE turn.id BETWEEN first_turn AND last_turn)) ";

// Begins a statement's rest, which goes on with a condition.
inline std::string known_messages() {
    return " FROM messages AS message WHERE" + std::string(is_known_message) + "AND ";
}

}  // namespace chorus::store
