// Leftovers of crashed commands: temporary directories of dead processes,
// and rows still `creating`. The next command finishes or undoes them (promise 6).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// Directories under construction or about to be removed are named
// .tmp-<pid>-<start>-<random>-<name>.
constexpr std::string_view temporary_prefix = ".tmp-";
// Returns a new path of that kind in agents/ for this process.
std::string temporary_directory(const agent::Home& home, const std::string& name);
// Returns whether a dead process left such a directory for an agent of that name.
bool has_remains(const agent::Home& home, std::string_view name);

// Lists what reclaim_leftovers would finish or undo, one line each; nothing while another process
// holds the birth lock.
std::vector<std::string> find_leftovers(const agent::Home& home, store::Store& store);
// Lists agents that are `destroying` without a running chorus-destroy, one line each: the user has
// to decide what happens to their files.
std::vector<std::string> find_half_destroyed(const agent::Home& home, store::Store& store);
// Takes the birth lock and the locks of spawns; leaves alone what another process is creating.
void reclaim_leftovers(const agent::Home& home, store::Store& store);
// For callers that hold the birth lock.
void reclaim_locked(const agent::Home& home, store::Store& store);
// For callers that hold the lock of spawns (life/children.hpp).
void reclaim_children(const agent::Home& home, store::Store& store, store::AgentId parent);
// Inserts the event of a new status; `row` has the previous one. Runs inside a transaction of the
// caller.
void note_status(store::Store& store, const store::Agent& row, store::AgentStatus status,
                 std::string cause, std::string data = {});
// Writes the status and its event in one transaction; `row` has the previous status.
void commit_status(store::Store& store, const store::Agent& row, store::AgentStatus status,
                   const char* cause);

}  // namespace chorus::life
