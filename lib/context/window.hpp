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
    // cut moves only when it must. 0: empty.
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

std::int64_t estimated_tokens(const chat::Message& message);

// Every call has exactly one result behind it and the first message is the user's; "" or what is
// wrong.
std::string find_torn(const std::vector<chat::Message>& messages);

// Cumulative hash of the conversation up to each message: hash(previous, message).
std::string chained_hash(const std::string& previous, const chat::Message& message);

}  // namespace chorus::context
