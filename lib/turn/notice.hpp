// What an agent's people are told beside the conversation: in the transcript, and
// (turn/channel.hpp) where its channel leads.
#pragma once

#include <cstdint>
#include <functional>
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
    // The threads whose transcripts get it, and up to which message it stands for what is said
    // there; 0: for nothing.
    std::map<store::ThreadId, std::int64_t> threads;
    std::int64_t said_until = 0;  // older messages that a transcript lacks come first
};

// What cannot be told is a warning: what it is about has happened and is on record.
void tell_people(store::Store& store, const agent::Home& home, const store::Agent& agent,
                 const Notice& notice, const policy::Redaction& redaction,
                 const std::function<void(const std::string&)>& warn);

// Each question that waits, and the commands that decide it: whoever reads them need not have seen
// the turn. "" where none waits.
std::string how_to_decide(const std::string& agent, const std::vector<store::Prompt>& waiting);

// Where the agent's last activity is dated so far ahead that it is not believed
// (store/believed.hpp).
void warn_of_clock(const store::Agent& agent, const std::function<void(const std::string&)>& warn);

}  // namespace chorus::turn
