// Session files (chorus-session(5)): the only writer of chorus.session/1, and a reader that takes
// other forms too.
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
    std::string model = {};  // full name of the model of its turn; "" if unknown
};

// What a file holds besides its messages.
struct SessionHead {
    std::string id = {};
    std::string agent_name = {};
    std::string description = {};
    std::string summary = {};
    std::string trigger = {};
    std::string model = {};
    base::TimeMs saved_at = 0;  // 0: not given
    base::TimeMs window_start = 0;
    base::TimeMs window_end = 0;
};

struct SessionFile {
    SessionHead head;
    std::vector<SessionMessage> messages;
};

std::string session_text(const SessionHead& head, const std::vector<SessionMessage>& messages);

// Missing members are empty, as is an id that cannot be typed; a missing thread is 1. Messages of
// the role "system" are skipped. Returns an Error(failed) that begins with `what` if the text is
// not a session, has a later schema, or holds something that is not a message.
std::variant<SessionFile, base::Error> read_session(std::string_view text, const std::string& what);

}  // namespace chorus::context
