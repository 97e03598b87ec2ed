// What stands before the conversation: the system prompt with the agent's docs, and the project's
// own text as a first user message that grants nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agent/layout.hpp"
#include "sys/beneath.hpp"

namespace chorus::context {

// The text that follows the system prompt: docs/**/*.md by path, each under its path; past 32 Ki
// tokens (estimated) they are cut with a note. Error(config_invalid) for more than 256 KiB on disk.
std::string documents_text(const agent::Directory& directory);

// Whether a path in docs/ is read as a document, and what those there have together on disk.
bool is_document(const std::string& path);
std::size_t documents_bytes(const agent::Directory& directory);

// AGENTS.md of the root of the place worked in, framed, its first 64 KiB. Nothing where there is
// none.
std::optional<std::string> project_text(const sys::Root& root);

}  // namespace chorus::context
