// Messages for the tests of transcripts.
#pragma once

#include <string>

#include "chat/message.hpp"

namespace chorus::context {

inline chat::Message message(std::int64_t id, chat::Role role, const std::string& content) {
    chat::Message made;
    made.id = id;
    made.role = role;
    made.content = content;
    made.timestamp = 1'770'892'200'123;
    if (role == chat::Role::tool_result) made.tool_call_id = "c1";
    return made;
}

}  // namespace chorus::context
