// How an agent ceases to be: its rows and its directory, in steps each of which can be done again
// (promise 6). The caller holds the locks that chorus(7), LOCKS, asks of chorus-destroy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "life/deciders.hpp"
#include "store/agents.hpp"

namespace chorus::life {

// archived: the sessions go to the archive, the rest is removed. kept: all stays in place. purged:
// the sessions are removed too.
enum class Files { archived, kept, purged };
std::string_view name(Files files);

// What speaks against it before anything has changed: Error(bad_request) where the directory or the
// sessions in it are a link, Error(failed) where they cannot be moved or are not where they should
// be.
void check_removable(const agent::Home& home, const store::Agent& agent, Files files);

// The agent, then all its descendants that are not destroyed, parents before children.
std::vector<store::Agent> family_of(store::Store& store, const store::Agent& agent);
// All of them are `destroying` from then on, with an event each, and who wanted it is in the audit
// log: one transaction. No turn of theirs begins any more.
void begin_destroying(store::Store& store, const std::vector<store::Agent>& family, Files files,
                      const Decider& decider);

// The sessions' files to where `files` wants them, from wherever a run that was broken off has put
// them; links and strangers are left alone. Error(exists) where the archive has one of that name.
void place_sessions(const agent::Home& home, const store::Agent& agent, Files files);
// Takes the directory out of agents/ whole, under a name that reclaim_leftovers knows: "" where
// there is none.
std::string take_away(const agent::Home& home, const store::Agent& agent);
// All of them are `destroyed`, with an event each; session rows, earlier namesakes' too, say where
// the files are now, or that they are gone: one transaction. How many files of sessions are left of
// the agent.
std::size_t finish_destroying(const agent::Home& home, store::Store& store,
                              const std::vector<store::Agent>& family, Files files);

}  // namespace chorus::life
