// The numbers that name a point of a conversation.
#pragma once

#include <string>

#include "base/number.hpp"
#include "base/text.hpp"
#include "command/verb.hpp"

namespace chorus::command {

// Reads the number of a message or a checkpoint.
inline std::int64_t require_number(const std::string& text, const char* option, const char* what,
                                   const char* hint) {
    if (const auto number = base::parse_number<std::int64_t>(text); number > 0) return *number;
    throw Error(ErrorCode::bad_request,
                std::string(option) + ": " + base::quoted(text) + " is not the " + what, hint);
}

inline std::int64_t require_message_id(const std::string& text, const char* option) {
    return require_number(text, option, "id of a message",
                          "the transcript shows them: <!-- message 7 -->");
}

}  // namespace chorus::command
