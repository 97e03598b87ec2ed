// Destroys an agent: its rows and its directory, in steps that can each be repeated (promise 6).
// The caller holds the locks that chorus(7), LOCKS, requires for chorus-destroy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// archived: the sessions are moved to the archive, the rest is removed. kept: everything stays in
// place. purged: the sessions are removed too.
enum class Files { archived, kept, purged };
std::string_view name(Files files);

// Checks before anything is changed: Error(bad_request) if the directory or its sessions are a
// link, Error(failed) if they cannot be moved or are in the wrong place.
void check_removable(const agent::Home& home, const store::Agent& agent, Files files);

// Returns the agent, then all its descendants that are not destroyed, parents before children.
std::vector<store::Agent> family_of(store::Store& store, const store::Agent& agent);
// Sets all of them to `destroying`, with an event each and an audit row of who asked for it, in one
// transaction. From then on no turn of theirs starts.
void begin_destroying(store::Store& store, const std::vector<store::Agent>& family, Files files,
                      const Decider& decider);

// Moves the session files to the place for `files`, from wherever an interrupted run has left them;
// leaves links and foreign files alone. Error(exists) if the archive has a file of that name.
void place_sessions(const agent::Home& home, const store::Agent& agent, Files files);
// Renames the directory within agents/ to a name that reclaim_leftovers knows; returns that path,
// "" if there is no directory.
std::string take_away(const agent::Home& home, const store::Agent& agent);
// Sets all of them to `destroyed`, with an event each, and updates the file paths of session rows,
// including those of earlier agents of the same name, in one transaction. Returns how many session
// files of the agent are left.
std::size_t finish_destroying(const agent::Home& home, store::Store& store,
                              const std::vector<store::Agent>& family, Files files);

}  // namespace chorus::life
