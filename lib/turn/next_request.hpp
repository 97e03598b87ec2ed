// What the thread's next turn would send if it began now. Commits nothing, sends nothing.
#pragma once

#include <cstdint>
#include <string>

#include "chat/message.hpp"
#include "place/turn_options.hpp"
#include "store/threads.hpp"

namespace chorus::turn {

struct NextRequest {
    std::string agent;
    store::ThreadId thread = 1;
    std::string model;                  // in full
    chat::Request request;              // without the user's message
    bool begins_with_project = false;   // the first of its messages is the text of AGENTS.md
    std::string status;                 // the block that would be sent with that message
    std::int64_t token_budget = 0;      // of the window, in the provider's tokens; 0: no limit
    std::int64_t estimated_tokens = 0;  // of the window
};

// `prompt` and `decision` of the options are not used. Errors as for a turn that cannot begin.
NextRequest next_request(const place::TurnOptions& options,
                         const place::Surroundings& surroundings);

}  // namespace chorus::turn
