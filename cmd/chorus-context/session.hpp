// Shared by the verbs of saved sessions.
#pragma once

#include <optional>
#include <string>

#include "command/verb.hpp"
#include "store/sessions.hpp"
#include "turn/present.hpp"

namespace chorus::command {

Fields fields_of(const store::Session& session);
// The session's fields, or null.
cli::Value value_of(const std::optional<store::Session>& session);
// "session 1a2b3c: about what (7 messages)"
std::string described(const store::Session& session);
turn::Summaries summaries(bool by_rule);

}  // namespace chorus::command
