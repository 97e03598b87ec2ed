// Saved sessions: what an agent's windows hold, written to a file and entered into the database.
#pragma once

#include <cstddef>
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

// The windows of these threads as they are stored (the marker of the last clear, `after_time`, the
// thread's cut), in order of id. A turn that is not ended may have calls without a result in it.
std::vector<SessionMessage> session_messages(store::Store& store, const store::Agent& agent,
                                             const std::vector<store::ThreadId>& threads,
                                             base::TimeMs after_time);

// Those of every thread.
std::vector<SessionMessage> agent_messages(store::Store& store, const store::Agent& agent,
                                           base::TimeMs after_time);

// What the user said first, one line of at most 80 characters: a description made by rule.
std::string topic(const std::vector<SessionMessage>& messages);
// At most 1000 characters without asking a model: the topic, how much was said and called, and the
// beginning of the last answer.
std::string plain_summary(const std::vector<SessionMessage>& messages);

// What a session says about its messages; "" where nothing could be made.
using Summarize = std::function<std::string(const std::vector<SessionMessage>&)>;
// Stands in a session whose summary could not be made.
constexpr std::string_view failed_summary = "(summary generation failed)";
// What `summarize` makes, or failed_summary; by rule where there is none and where there is nothing
// to summarise.
std::string summary_of(const std::vector<SessionMessage>& messages, const Summarize& summarize);

struct SessionAbout {
    SessionTrigger trigger = SessionTrigger::manual_save;
    std::string model;             // in force
    std::string description = {};  // "": the summary, or the topic where that failed
    std::string summary = {};      // "": plain_summary; cut to 1000 characters
};

// One without messages is written too: whoever calls decides. Writes
// sessions/YYYY-MM-DD_<slug>.json whole and durable, and returns its row, to be inserted by the
// caller's transaction: a file without a row is then possible, a row without a file never.
// Description and summary lose what looks like a key; messages are kept as they were sent.
store::Session write_session(const agent::Home& home, const store::Agent& agent,
                             const std::vector<SessionMessage>& messages, const SessionAbout& about,
                             const policy::Redaction& redaction);
// The same, and the row in a transaction of its own. For who holds the agent's lock.
store::Session save_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::vector<SessionMessage>& messages, const SessionAbout& about,
                            const policy::Redaction& redaction);

// "2026-11-02_fix-the-parser": the name of a session's file without its ending.
std::string file_stem(base::TimeMs saved_at, std::string_view description);

// Without agent, path and hash.
store::Session session_row(const SessionHead& head, std::size_t messages);

}  // namespace chorus::context
