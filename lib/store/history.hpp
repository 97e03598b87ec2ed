// What was said and done, whatever the window: read one row after the other, so that a million of
// them need no more memory than one.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/turns.hpp"

namespace chorus::store {

struct SaidMessage {
    chat::Message message;
    ThreadId thread = 1;
    std::string restored_from;             // a session; "": it was said here
    base::TimeMs original_timestamp = 0;   // of a restored one
    std::optional<std::int64_t> left_for;  // what stands for it in the window; 0: nothing
    std::string prefix_hash;
};

enum class Said { by_people_and_agent, everything };  // the first: prompts and answers with a text

struct MessageFilter {
    AgentId agent = 0;
    ThreadId thread = 0;  // 0: of all
    Said said = Said::everything;
    std::int64_t after = 0;                                         // greater ids only
    base::TimeMs since = 0;                                         // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::int64_t newest = 0;  // so many of the last ones; 0: all
};
// In order of id, until `use` returns false. Costs what it gives out (and, with `until`, what was
// said since).
void for_each_message(Store& store, const MessageFilter& filter,
                      const std::function<bool(const SaidMessage&)>& use);

// All of one turn, in order, whatever has become of them in the window.
std::vector<SaidMessage> turn_messages(Store& store, TurnId turn);

struct TurnFilter {
    AgentId agent = 0;
    ThreadId thread = 0;                                            // 0: of all
    base::TimeMs since = 0;                                         // begun from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::int64_t newest = 0;  // so many of the last ones; 0: all
};
// In order of id, until `use` returns false.
void for_each_turn(Store& store, const TurnFilter& filter,
                   const std::function<bool(const Turn&)>& use);
// The beginning of what the user said first in it; "" where nobody said anything.
std::string turn_prompt(Store& store, TurnId turn, std::int64_t most_characters);

}  // namespace chorus::store
