// The rolling window: which stored messages the next request holds (chorus(7), section CONTEXT).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chat/message.hpp"

namespace chorus::context {

struct WindowLimits {
    std::int64_t max_messages = 0;  // 0: no limit
    std::int64_t token_budget = 0;  // 0: no limit; what the messages may hold, estimated
    std::int64_t open_turn = 0;     // never cut into
};

struct Window {
    std::vector<chat::Message> messages;
    // The first message, but for one that stands for earlier ones; stored per thread so that the
    // cut moves only when it must. Behind what was dropped where there is none, 0: nothing was.
    std::int64_t start = 0;
    std::size_t left_out = 0;                 // by max_messages or the budget, now
    std::vector<chat::Message> dropped = {};  // those themselves
};

// `loaded` is what time and the last clear left, as load_window gives it. Every cut falls before a
// user message that starts a turn: a torn turn at the old end is dropped, limits drop whole turns
// from there, the budget down to 60 % of itself. Messages of the open turn always stay, and so does
// the one that stands for earlier ones. Results whose call is not there are left out: a clear or a
// restore may have come between the two.
Window cut_window(std::vector<chat::Message> loaded, const WindowLimits& limits);

// Bytes / 4.
std::int64_t estimated_tokens(const chat::Message& message);
std::int64_t estimated_tokens(const std::vector<chat::Message>& messages);
// The same of everything a turn's model calls were sent, together: `opening` is what stood before
// the messages. 0 where the turn is not in `messages`.
std::int64_t estimated_input(const std::vector<chat::Message>& messages, std::int64_t turn,
                             std::int64_t opening);
// A budget in a provider's tokens as one in estimated ones, by what it counted where we estimated
// so much; an estimate is never taken to be off by more than 1/2 or 3.
constexpr std::int64_t most_correction = 3;
std::int64_t in_estimated_tokens(std::int64_t budget, std::int64_t reported,
                                 std::int64_t estimated);

// Every call has exactly one result behind it and the first message is the user's; "" or what is
// wrong.
std::string find_torn(const std::vector<chat::Message>& messages);

// Cumulative hash of the conversation up to each message: hash(previous, message).
std::string chained_hash(const std::string& previous, const chat::Message& message);

}  // namespace chorus::context
