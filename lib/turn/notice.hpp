// Notices for people besides the conversation: in the agent's transcript and, by
// channel/posting.hpp, in its channel.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/prompts.hpp"
#include "store/threads.hpp"

namespace chorus::turn {

struct Notice {
    std::string heading;
    std::string text;
    // The threads whose transcripts get it, each with the id up to which it replaces messages
    // there; 0: none.
    std::map<store::ThreadId, std::int64_t> threads;
    // Older messages that a transcript lacks come first.
    std::int64_t said_until = std::numeric_limits<std::int64_t>::max();
};

// Appends the messages up to `until` that a transcript lacks.
void append_missing(store::Store& store, const store::Thread& thread, const std::string& path,
                    const policy::Redaction& redaction,
                    std::int64_t until = std::numeric_limits<std::int64_t>::max());

// Writes the notice to the transcripts. A failure is a warning: the event itself is already
// recorded.
void tell_people(store::Store& store, const agent::Home& home, const store::Agent& agent,
                 const Notice& notice, const policy::Redaction& redaction,
                 const std::function<void(const std::string&)>& warn);

// Returns each pending question with the commands that decide it, for readers who have not seen the
// turn; "" if there are none.
std::string how_to_decide(const std::string& agent, const std::vector<store::Prompt>& waiting);

// Warns if the agent's last activity is dated too far ahead to be believed (store/believed.hpp).
void warn_of_clock(const store::Agent& agent, const std::function<void(const std::string&)>& warn);

}  // namespace chorus::turn
