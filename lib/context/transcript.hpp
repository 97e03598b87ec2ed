// session.md: the readable transcript of a thread, rendered from the database and only appended to.
// Entries carry message ids, so that the start of a turn can append what a crash left out. What is
// written here is never read back as conversation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "policy/redaction.hpp"

namespace chorus::context {

// One entry, beginning with "<!-- message ID -->".
std::string transcript_entry(const chat::Message& message);
std::vector<chat::Message> without_secrets(std::vector<chat::Message> messages,
                                           const policy::Redaction& redaction);
// The id of the last entry in the file; 0 where there is none. Throws where it cannot be read.
std::int64_t last_transcript_message(const std::string& path);
void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages);

// What is no message: a heading and a text. It stands after the last entry, as a part of it.
void append_notice(const std::string& path, const std::string& heading, const std::string& text);

}  // namespace chorus::context
