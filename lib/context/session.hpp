// Saved sessions: the contents of an agent's windows, written to a file and entered into the
// database.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "context/session_file.hpp"
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

// Returns the windows of these threads as they are stored (after the last clear, `after_time` and
// the thread's cut), summaries first, then in order of id. An unfinished turn may have calls
// without a result.
std::vector<SessionMessage> session_messages(store::Store& store, const store::Agent& agent,
                                             const std::vector<store::ThreadId>& threads,
                                             base::TimeMs after_time);

// The same for every thread.
std::vector<SessionMessage> agent_messages(store::Store& store, const store::Agent& agent,
                                           base::TimeMs after_time);

// Returns the beginning of the user's first message, one line of at most 80 characters: a
// description made without a model.
std::string topic(const std::vector<SessionMessage>& messages);
// The same of one message.
std::string topic_of(const chat::Message& message);
// Returns a summary of at most 1000 characters made without a model: the topic, the numbers of
// messages and calls, and the beginning of the last answer.
std::string plain_summary(const std::vector<SessionMessage>& messages);

// Makes the summary of a session; "" if that failed.
using Summarize = std::function<std::string(const std::vector<SessionMessage>&)>;
// The summary of a session for which none could be made.
constexpr std::string_view failed_summary = "(summary generation failed)";
// Returns what `summarize` makes, or failed_summary; plain_summary if there is no `summarize` or no
// message.
std::string summary_of(const std::vector<SessionMessage>& messages, const Summarize& summarize);

struct SessionAbout {
    SessionTrigger trigger = SessionTrigger::manual_save;
    std::string model;             // the present one
    std::string description = {};  // "": the summary, or the topic if that failed
    std::string summary = {};      // "": plain_summary; cut to 1000 characters
};

// Writes sessions/YYYY-MM-DD_<slug>.json whole and durably, even without messages, and returns its
// row, which the caller inserts in a transaction: a crash can leave a file without a row, never a
// row without a file. What looks like a key is removed from description and summary; messages are
// kept as they were sent.
store::Session write_session(const agent::Home& home, const store::Agent& agent,
                             const std::vector<SessionMessage>& messages, const SessionAbout& about,
                             const policy::Redaction& redaction);
// The same, and inserts the row in a transaction of its own. The caller holds the agent's lock.
store::Session save_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::vector<SessionMessage>& messages, const SessionAbout& about,
                            const policy::Redaction& redaction);

// Writes the text as sessions/YYYY-MM-DD_<slug>.json in the agent's directory, under a longer name
// if that is taken, and completes the row. Returns false if a killed process has left the same
// file.
bool place_session(store::Session& row, const store::Agent& agent,
                   const agent::Directory& directory, const std::string& text);

}  // namespace chorus::context
