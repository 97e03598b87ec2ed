// A conversation on its way into an agent, in parts: nobody reads any of it until end_import. The
// caller holds the agent's lock exclusively from begin_import to end_import, so one that is found
// by whoever holds that lock was broken off.
#pragma once

#include <cstdint>

#include "store/threads.hpp"
#include "store/turns.hpp"

namespace chorus::store {

// Ids of their own, in order, for the rows of an import.
struct ImportIds {
    std::int64_t next_message = 0;
    TurnId next_turn = 0;
};
// That there is going to be one: the agent is not whole before it has ended. Inside a transaction
// of the caller, as the next four.
void announce_import(Store& store, AgentId agent);
// For at most so many rows; the announcement may be there.
ImportIds begin_import(Store& store, AgentId agent, std::int64_t messages, std::int64_t turns);
void insert_imported_thread(Store& store, const Thread& thread);
// So many turns of the thread more, which ended at `newest` at the latest.
void count_imported_turns(Store& store, AgentId agent, ThreadId thread, std::int64_t count,
                          base::TimeMs newest);
// Makes all of it part of the agent; few rows change.
void end_import(Store& store, AgentId agent);

bool has_unended_import(Store& store, AgentId agent);
// Outside a transaction: removes what an import that was broken off left.
void discard_import(Store& store, AgentId agent);

}  // namespace chorus::store
