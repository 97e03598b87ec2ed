// The texts before the conversation: the agent's docs, which follow the system prompt, and the
// project's own text, a first user message that grants no rights.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agent/layout.hpp"
#include "sys/beneath.hpp"

namespace chorus::context {

// Returns the text that follows the system prompt: docs/**/*.md sorted by path, each under its
// path, cut with a note at 32 Ki tokens (estimated). Throws Error(config_invalid) for more than 256
// KiB on disk.
std::string documents_text(const agent::Directory& directory);

// Whether a path in docs/ is read as a document, and the size of all documents on disk.
bool is_document(const std::string& path);
std::size_t documents_bytes(const agent::Directory& directory);

// The first 64 KiB of AGENTS.md in the root of the workspace or of -C, framed; nothing if there is
// none, or with a fault that says why one that is there is left out.
struct ProjectText {
    std::optional<std::string> text;
    std::string fault;
};
ProjectText project_text(const sys::Root& root);

}  // namespace chorus::context
