// Shared by the verbs of saved sessions.
#pragma once

#include <optional>
#include <string>

#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "store/sessions.hpp"
#include "turn/turn.hpp"

namespace chorus::context_command {

place::Surroundings surroundings_of(const Opened& opened);

// "2026-02-12 10:30", UTC
std::string minute(base::TimeMs time);

// Writes into an open object.
void write_members(chat::JsonText& out, const store::Session& session);
// Writes a member: the session, or null.
void write_session(chat::JsonText& out, const char* key,
                   const std::optional<store::Session>& session);
void print_json(const store::Session& session);
// "session ID: description (3 messages)"
std::string described(const store::Session& session);

}  // namespace chorus::context_command
