// All messages and turns, in the window or not, read one row at a time, so that a million of them
// need no more memory than one.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "store/messages.hpp"
#include "store/turns.hpp"

namespace chorus::store {

enum class Said { by_people_and_agent, everything };  // the first: prompts and answers with text

struct MessageFilter {
    AgentId agent = 0;
    ThreadId thread = 0;  // 0: all
    Said said = Said::everything;
    std::int64_t after = 0;                                         // greater ids only
    base::TimeMs since = 0;                                         // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::int64_t newest = 0;  // this many of the last ones; 0: all
};
// Calls `use` in order of id until it returns false. Reads only the rows that it passes on (and,
// with `until`, the newer ones).
void for_each_message(Store& store, const MessageFilter& filter,
                      const std::function<bool(StoredMessage&&)>& use);
std::vector<StoredMessage> load_messages(Store& store, const MessageFilter& filter);

// All messages of one turn in order, in the window or not.
std::vector<StoredMessage> turn_messages(Store& store, TurnId turn);

struct TurnFilter {
    AgentId agent = 0;
    ThreadId thread = 0;                                            // 0: all
    base::TimeMs since = 0;                                         // begun from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::int64_t newest = 0;       // this many of the last ones; 0: all
    bool with_sub_agents = false;  // those of sub-agents that people created too
};
// Returns the turns of the sub-agents that calls of this turn created, not of those below them.
std::vector<TurnId> turns_spawned_by(Store& store, TurnId turn);
// In order of id, until `use` returns false.
void for_each_turn(Store& store, const TurnFilter& filter,
                   const std::function<bool(const Turn&)>& use);
// Returns the beginning of the turn's first prompt; "" if it has none.
std::string turn_prompt(Store& store, TurnId turn, std::int64_t most_characters);

}  // namespace chorus::store
