// Session files (chorus-session(5)): the only writer of chorus.session/1, and a reader that takes
// other forms too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "chat/message.hpp"
#include "store/sessions.hpp"

namespace chorus::context {

struct SessionMessage {
    chat::Message message;
    std::int64_t thread = 1;
    std::string model = {};  // full name of the model of its turn; "" if unknown
};

struct SessionFile {
    store::Session row;  // without agent, path and hash; a time is 0 if it is not given
    std::string model;   // the present one when it was saved
    std::vector<SessionMessage> messages;
};

std::string session_text(const store::Session& row, const std::string& model,
                         const std::vector<SessionMessage>& messages);

// Missing members are empty, as is an id that cannot be typed; a missing thread is 1. Messages of
// the role "system" are skipped. Returns an Error(failed) that begins with `what` if the text is
// not a session, has a later schema, or holds something that is not a message.
std::variant<SessionFile, base::Error> read_session(std::string_view text, const std::string& what);

}  // namespace chorus::context
