// session.md: the readable transcript of a thread, rendered from the database and only appended to.
// Entries carry message ids, so that the start of a turn can append what a crash left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "chat/message.hpp"
#include "policy/redaction.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// Removes what looks like a key from the message's text and its calls.
void redact(chat::Message& message, const policy::Redaction& redaction);
std::vector<chat::Message> without_secrets(std::vector<chat::Message> messages,
                                           const policy::Redaction& redaction);
// Returns the id of the last entry in the file; 0 if there is none. Throws if it cannot be read.
std::int64_t last_transcript_message(const std::string& path);
// Also appends the calls to the log of calls beside it, if there is one: a sub-agent's.
void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages);

// Writes it anew, for messages that have new ids: all of the agent's first thread.
void write_transcript(store::Store& store, const agent::Directory& directory,
                      const store::Agent& agent, const policy::Redaction& redaction);

// Returns the path of the branch's session.md, or of the file there for a thread without a branch
// of its own.
std::string transcript_path(const agent::Directory& directory, const store::Thread& thread);

// Appends a heading and a text that are not a message. They count as part of the last entry, or as
// an entry for all messages up to `through`.
void append_notice(const std::string& path, const std::string& heading, const std::string& text,
                   std::optional<std::int64_t> through = {});

}  // namespace chorus::context
