// What export wrote as JSON lines, brought into an agent: all of it or nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/layout.hpp"
#include "store/agents.hpp"

namespace chorus::context {

constexpr std::size_t most_import_bytes = 1U << 30U;

struct Imported {
    std::size_t messages = 0;
    std::size_t known = 0;      // messages that the agent has already, passed over
    std::size_t cancelled = 0;  // calls without a result, which got one
    std::size_t turns = 0;
    std::size_t sessions = 0;
    std::size_t queued = 0;
    bool in_window = true;  // false: the agent has said things of its own, this is its history
};

// What `pack` puts beside an agent's files, its conversation.
constexpr std::string_view packed_name = "export.jsonl";

// `text` is the whole file, `name` what errors call it. Messages get new ids, in the file's order,
// and restored_from: so what was imported once is passed over, and so is the agent's own. Turns
// have ended; a call without a result is cancelled until an import brings the result. Where the
// agent has messages of its own, what is imported stays out of its window; else the window begins
// where it began. Session files are written first; the rows go in parts between which others write,
// and are the agent's with the last one alone. What an import that was broken off left is removed.
//
// The caller holds the agent's lock exclusively. Error(bad_request) that names the line, and
// Error(agent_busy) where a turn of the agent is not ended: then nothing has changed.
Imported import_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                       std::string_view text, const std::string& name);
// The same of the file that was packed with the agent, whose files are in `directory`; nothing
// where there is none. The caller removes the file afterwards. What `current` named is named again.
std::optional<Imported> import_packed(store::Store& store, const agent::Directory& directory,
                                      const store::Agent& agent);
void remove_packed(const agent::Directory& directory);
// For life::BirthOptions: how many messages it brought, 0 where nothing was packed.
std::size_t bring_packed(store::Store& store, const agent::Directory& directory,
                         const store::Agent& agent);

}  // namespace chorus::context
