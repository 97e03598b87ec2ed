// Sessions as files (chorus-session(5)): the one writer of chorus.session/1, and a reader of
// whatever else was written as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "chat/message.hpp"

namespace chorus::context {

struct SessionMessage {
    chat::Message message;
    std::int64_t thread = 1;
    std::string model = {};  // what the turn that said it asked, in full; "" where nobody knows
};

// What stands in a file beside its messages.
struct SessionHead {
    std::string id = {};
    std::string agent_name = {};
    std::string description = {};
    std::string summary = {};
    std::string trigger = {};
    std::string model = {};
    base::TimeMs saved_at = 0;  // 0: it does not say
    base::TimeMs window_start = 0;
    base::TimeMs window_end = 0;
};

struct SessionFile {
    SessionHead head;
    std::vector<SessionMessage> messages;
};

std::string session_text(const SessionHead& head, const std::vector<SessionMessage>& messages);

// Members that are missing are empty, as is an id that nobody could type; a thread is 1. Messages
// of the role "system" are passed over. An Error(failed) that begins with `what` for what is no
// session, one of a later form, and one that holds what cannot be a message.
std::variant<SessionFile, base::Error> read_session(std::string_view text, const std::string& what);

}  // namespace chorus::context
