// Imports exported JSON lines, or a transcript, into an agent: all of them or none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"

namespace chorus::context {

constexpr std::size_t most_import_bytes = 1U << 30U;

struct Imported {
    std::size_t messages = 0;
    std::size_t known = 0;      // messages that the agent already has, skipped
    std::size_t cancelled = 0;  // calls without a result, which got a cancelled one
    std::size_t turns = 0;
    std::size_t sessions = 0;
    std::size_t queued = 0;
    bool in_window = true;  // false: the agent has messages of its own; these are only history
};

// The file in which `pack` puts an agent's conversation, beside its other files.
constexpr std::string_view packed_name = "export.jsonl";

// `text` is the whole file, `name` what errors call it. Messages get new ids in the file's order,
// and restored_from, so that a message that was imported before or is the agent's own is skipped.
// Turns are ended; a call without a result is cancelled until an import brings the result. If the
// agent has messages of its own, imported ones stay out of its window; otherwise the window begins
// where it did in the file. Session files are written first. Rows are written in parts, between
// which other processes can write, and become the agent's with the last part. What an interrupted
// import left is removed.
//
// The caller holds the agent's lock exclusively. Throws Error(bad_request), which names the line,
// or Error(agent_busy) if a turn of the agent has not ended; nothing has changed then.
Imported import_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                       std::string_view text, const std::string& name);
// For life::BirthOptions: imports the file that was packed with the agent, whose files are in
// `directory`, and restores the link `current`. Returns the number of messages imported, 0 if
// nothing was packed. The caller removes the file afterwards.
std::size_t bring_packed(store::Store& store, const agent::Directory& directory,
                         const store::Agent& agent);
// For life::ChildAdoption: returns whether a session.md has a message; Error(bad_request) if one
// cannot be imported.
bool has_message(const std::string& text, const std::string& what);
// For life::ChildAdoption: imports the messages of a sub-agent's session.md, without the active
// keys that `secrets` knows, and writes their new ids into the file. Returns their number.
std::size_t bring_transcript(store::Store& store, const agent::Directory& directory,
                             const store::Agent& agent, const policy::Redaction& secrets);
void remove_packed(const agent::Directory& directory);

}  // namespace chorus::context
