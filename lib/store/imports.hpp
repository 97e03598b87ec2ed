// Imports a conversation into an agent in several transactions; readers see nothing of it before
// end_import. The caller holds the agent's lock exclusively from begin_import to end_import, so an
// import found by another holder of that lock was interrupted.
#pragma once

#include <cstdint>

#include "store/threads.hpp"
#include "store/turns.hpp"

namespace chorus::store {

// Reserved ids, in order, for the rows of an import.
struct ImportIds {
    std::int64_t next_message = 0;
    TurnId next_turn = 0;
};
// Records that an import will follow: the agent is incomplete until it ends. Runs inside a
// transaction of the caller, like the next four functions.
void announce_import(Store& store, AgentId agent);
// Reserves ids for at most that many rows; replaces the announcement if there is one.
ImportIds begin_import(Store& store, AgentId agent, std::int64_t message_count,
                       std::int64_t turn_count);
void insert_imported_thread(Store& store, const Thread& thread);
// Adds `count` turns to the counters of agent and thread; the last one ended at `newest`.
void count_imported_turns(Store& store, AgentId agent, ThreadId thread, std::int64_t count,
                          base::TimeMs newest);
// Makes the imported rows part of the agent; changes only a few rows.
void end_import(Store& store, AgentId agent);

bool has_unended_import(Store& store, AgentId agent);
// Removes the rows of an interrupted import. Must be called outside a transaction.
void discard_import(Store& store, AgentId agent);

}  // namespace chorus::store
