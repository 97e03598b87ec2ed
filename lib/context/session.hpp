// Saved sessions: the one writer of chorus.session/1 (chorus-home(5), SESSIONS).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "chat/message.hpp"
#include "policy/redaction.hpp"
#include "store/sessions.hpp"
#include "store/threads.hpp"

namespace chorus::context {

enum class SessionTrigger {
    manual_save,
    idle_timeout,
    shutdown,
    destroy,
    pre_restore,
    context_clear,
    compaction
};
std::string_view name(SessionTrigger trigger);

struct SessionMessage {
    chat::Message message;
    store::ThreadId thread = 1;
    std::string model;  // what the turn that said it asked, in full; "" where nobody knows
};

// The windows of these threads as they are stored (the marker of the last clear, `after_time`, the
// thread's cut), in order of id. A turn that is not ended may have calls without a result in it.
std::vector<SessionMessage> session_messages(store::Store& store, const store::Agent& agent,
                                             const std::vector<store::ThreadId>& threads,
                                             base::TimeMs after_time);

// What the user said first, one line of at most 80 characters: a description made by rule.
std::string topic(const std::vector<SessionMessage>& messages);
// At most 1000 characters without asking a model: the topic, how much was said and called, and the
// beginning of the last answer.
std::string plain_summary(const std::vector<SessionMessage>& messages);

struct SessionAbout {
    SessionTrigger trigger = SessionTrigger::manual_save;
    std::string model;             // in force
    std::string description = {};  // "": the summary
    std::string summary = {};      // "": plain_summary; cut to 1000 characters
};

// One without messages is written too: whoever calls decides. Writes
// sessions/YYYY-MM-DD_<slug>.json whole and durable, then its row, and returns that. Description
// and summary lose what looks like a key; messages are kept as they were sent. Error as of
// write_file and the store: a file without a row is then possible, a row without a file never.
store::Session save_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::vector<SessionMessage>& messages, const SessionAbout& about,
                            const policy::Redaction& redaction);

}  // namespace chorus::context
