// session.md: the readable transcript of a thread, rendered from the database and only appended to.
// Entries carry message ids, so that the start of a turn can append what a crash left out. What is
// written here is never read back as conversation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "chat/message.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// One entry, beginning with "<!-- message ID -->".
std::string transcript_entry(const chat::Message& message);
// The id of the last entry in the file; 0 where there is none. Throws where it cannot be read.
std::int64_t last_transcript_message(const std::string& path);
void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages);

// session.md of the branch, or the file that a thread without a branch of its own has there.
std::string transcript_path(const agent::Directory& directory, const store::Thread& thread);

// What is no message: a heading and a text. It stands after the last entry, as a part of it, or for
// all messages up to `through`.
void append_notice(const std::string& path, const std::string& heading, const std::string& text,
                   std::optional<std::int64_t> through = {});

}  // namespace chorus::context
