// What a crash of chorus-init or chorus-destroy left: temporary directories of processes that are
// gone, and rows still `creating`. The next command finishes or undoes it (promise 6).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// Directories under construction, and those about to be removed, are
// .tmp-<pid>-<start>-<random>-<name>.
constexpr std::string_view temporary_prefix = ".tmp-";
// A new name of that kind in agents/, of this process.
std::string temporary_directory(const agent::Home& home, const std::string& name);
// Whether a process that is gone left one of an agent of that name.
bool has_remains(const agent::Home& home, std::string_view name);

// What reclaim_leftovers would finish or undo, a line each; nothing where another process is at it.
std::vector<std::string> find_leftovers(const agent::Home& home, store::Store& store);
// Agents that are `destroying` while nobody destroys them, a line each: only a person can say what
// is to become of their files.
std::vector<std::string> find_half_destroyed(const agent::Home& home, store::Store& store);
// Takes the birth lock for a moment; does nothing where another process holds it.
void reclaim_leftovers(const agent::Home& home, store::Store& store);
// For who holds the birth lock.
void reclaim_locked(const agent::Home& home, store::Store& store);
// The status and its event, in one transaction; `row` has the one before.
void commit_status(store::Store& store, const store::Agent& row, store::AgentStatus status,
                   const char* cause);

}  // namespace chorus::life
