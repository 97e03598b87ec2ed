// What there is of an agent's conversation, as the exporters take it.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/records.hpp"
#include "store/sessions.hpp"
#include "store/transfer.hpp"
#include "store/turns.hpp"

namespace chorus::context {

struct SavedSession {
    store::Session row;
    std::string text;  // of its file
};

struct Record {
    store::Agent agent;
    std::string title;  // "ada", or what else it is the record of
    std::vector<store::Thread> threads;
    std::vector<store::Turn> turns;              // in order of id
    std::vector<store::StoredMessage> messages;  // in order of id
    std::vector<store::InboxRow> queued = {};    // what people have left in its inbox
    std::vector<SavedSession> sessions = {};
    std::string current_branch = {};              // "": not said
    std::vector<std::string> lost_sessions = {};  // ids of those whose file cannot be read
};

// Threads and turns are those that the messages are of, or all of them where `extent` is
// everything.
Record load_record(store::Store& store, const store::Agent& agent, const store::Extent& extent);
// The saved sessions with their files.
void add_sessions(Record& record, store::Store& store, const agent::Home& home);

// Without what looks like a key, for transcripts. Messages that are sent again keep theirs.
void redact(Record& record, const policy::Redaction& redaction);

// When it was said, wherever that was.
base::TimeMs said_at(const store::StoredMessage& stored);
bool is_imported(const store::StoredMessage& stored);
// Tells one message from all others, in whatever home it is: what import marks a copy with.
// `origin` as in origin_of.
std::string identity(std::string_view origin, const store::StoredMessage& stored);
std::string origin_of(const store::Agent& agent);

}  // namespace chorus::context
