// The rolling window: which stored messages the next request holds (chorus(7), section CONTEXT).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chat/message.hpp"

namespace chorus::context {

struct WindowLimits {
    std::int64_t max_messages = 0;  // 0: no limit
    std::int64_t token_budget = 0;  // of the messages, estimated; 0: no limit
    std::int64_t open_turn = 0;     // never cut into
};

struct Window {
    std::vector<chat::Message> messages;
    // The id of the first message that is not a summary; stored per thread so that the cut moves
    // only when it must. If no message is left, the id after the last dropped one; 0 if none was
    // dropped.
    std::int64_t start = 0;
    std::size_t left_out = 0;                 // by max_messages or the budget, in this cut
    std::vector<chat::Message> dropped = {};  // the messages left out
};

// `loaded` comes from load_window, which applies the time limit and the last clear. Every cut falls
// before a user message that starts a turn: an incomplete turn at the old end is dropped, and
// limits drop whole turns from there, the token budget down to 60 % of itself. Messages of the open
// turn and summaries of earlier messages always stay. Results without their call are left out: a
// clear or a restore may have come between the two.
Window cut_window(std::vector<chat::Message> loaded, const WindowLimits& limits);

// Bytes / 4.
std::int64_t estimated_tokens(const chat::Message& message);
std::int64_t estimated_tokens(const std::vector<chat::Message>& messages);
std::int64_t estimated_opening(const chat::Request& request);  // all of it but the messages
// Estimates the tokens of all requests of a turn together; `opening` is the estimate of what
// precedes the messages in each. 0 if the turn is not in `messages`.
std::int64_t estimated_input(const std::vector<chat::Message>& messages, std::int64_t turn,
                             std::int64_t opening);
// Converts a budget in a provider's tokens to estimated ones, by the ratio of the tokens that it
// reported to those estimated for the same text. The ratio is kept between 1/2 and 3.
constexpr std::int64_t most_correction = 3;
std::int64_t in_estimated_tokens(std::int64_t budget, std::int64_t reported,
                                 std::int64_t estimated);

// Checks that every call has exactly one result after it and that the first message is the user's.
// Returns "" or what is wrong.
std::string find_torn(const std::vector<chat::Message>& messages);

// Cumulative hash of the conversation up to each message: hash(previous, message).
std::string chained_hash(const std::string& previous, const chat::Message& message);

}  // namespace chorus::context
