// The ledger: one row for each request to a model, and their sums by day, agent, model and profile.
// A request is reserved with the most that it may use, then settled. A day is a local one.
#pragma once

#include <cstdint>
#include <string>

#include "base/enum_names.hpp"
#include "base/time.hpp"
#include "chat/message.hpp"
#include "store/store.hpp"
#include "store/turns.hpp"

namespace chorus::store {

// estimated: the provider has not said what was used.
enum class CallState { reserved, settled, estimated };
inline constexpr base::EnumNames<CallState, 3> call_states{{"reserved", "settled", "estimated"}};

struct ModelCall {
    std::int64_t id = 0;  // microseconds since the epoch; 0: not in the ledger yet
    AgentId agent_id = 0;
    TurnId turn_id = 0;  // 0: a summary outside a turn
    std::string model;   // in full
    std::string profile = {};
    CallState state = CallState::settled;
    std::int64_t pid = 0;  // of the process whose reservation it is
    std::int64_t pid_start = 0;
    chat::Usage usage = {};
};

// Each of these is to be called inside a transaction of the caller. `now` is when it was sent.
void reserve_call(Store& store, ModelCall& call, base::TimeMs now);
void settle_call(Store& store, ModelCall call, base::TimeMs now);
void release_call(Store& store, std::int64_t id);  // nothing was used
// Settles what a turn whose process is gone has reserved as used in full, and adds it to the turn's
// row. Returns what the row says then.
chat::Usage settle_reserved(Store& store, TurnId turn);

// The same for all processes that are gone; has a transaction of its own if there is one.
void settle_gone(Store& store);

// Tokens and costs; an unknown cost counts as 0.
struct Spent {
    chat::Usage settled;
    chat::Usage reserved;
};
// Returns those of the turns of sub-agents that calls of this turn spawned, at any depth.
Spent spent_below(Store& store, TurnId turn);
// Returns how many sub-agents these are.
std::int64_t count_spawned(Store& store, TurnId turn);
// Returns those of the day of `now`, of an agent with its sub-agents or, for 0, of all.
Spent spent_on_day(Store& store, AgentId agent, base::TimeMs now);

}  // namespace chorus::store
