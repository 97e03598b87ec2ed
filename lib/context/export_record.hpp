// An agent's conversation, as the exporters take it.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/history.hpp"
#include "store/records.hpp"
#include "store/sessions.hpp"
#include "store/turns.hpp"

namespace chorus::context {

struct SavedSession {
    store::Session row;
    std::string text;  // the contents of its file
};

// The bytes of a file that is attached to a message.
struct AttachedFile {
    std::string sha256;
    std::string bytes;
};

// A message from the inbox that a turn took: who sent it and what the turn may do for it. Its text
// is in the turn's message.
struct Delivered {
    store::InboxRow row;
};

struct ExportRecord {
    store::Agent agent;
    std::string title;  // "ada", or "ada · DESCRIPTION" of a session
    std::vector<store::Thread> threads = {};
    std::vector<store::Turn> turns = {};              // in order of id
    std::vector<store::StoredMessage> messages = {};  // in order of id
    std::vector<Delivered> delivered = {};            // to these turns
    std::vector<store::InboxRow> queued = {};         // what people have put in its inbox
    std::vector<SavedSession> sessions = {};
    std::vector<AttachedFile> attachments = {};
    std::string current_branch = {};              // "": unknown
    std::vector<std::string> lost_sessions = {};  // ids of those whose file cannot be read
    std::vector<ExportRecord> sub_agents = {};    // with their own ones
};

// Loads the agent's messages that `filter` (thread, since, until) selects with their threads and
// turns, or all threads and turns if it selects everything.
ExportRecord load_record(store::Store& store, const store::Agent& agent,
                         store::MessageFilter filter = {});
// Adds the saved sessions with their files.
void add_sessions(ExportRecord& record, store::Store& store, const agent::Home& home);

// Adds the sub-agents that calls of the record's turns created, at any depth, and unless the filter
// names a thread those that people created; of each the messages that it selects. A sub-agent and
// its copies in branches count as one.
void add_sub_agents(ExportRecord& record, store::Store& store, const store::MessageFilter& filter);

// Adds the files that are attached to the messages.
void add_attachments(ExportRecord& record, store::Store& store);

// Removes what looks like a key, for transcripts. Messages that are sent again keep it.
void redact(ExportRecord& record, const policy::Redaction& redaction);

// Returns when the message was first written, here or elsewhere.
base::TimeMs said_at(const store::StoredMessage& stored);
bool is_imported(const store::StoredMessage& stored);
// Returns a mark that identifies a message in any home; import marks copies with it. `origin` is
// what origin_of returns.
std::string identity(std::string_view origin, const store::StoredMessage& stored);
// Returns a key that a message of a thread has in an export and in a transcript alike.
std::string said_key(const store::StoredMessage& stored);
std::string origin_of(const store::Agent& agent);

}  // namespace chorus::context
