// The agent's channel beside its transcript (key channel_id; chorus-home(5), CHANNEL).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"

namespace chorus::turn {

// For whom something is posted.
struct Posting {
    const agent::Home& home;
    const sys::Environment& environment;
    store::Store& store;
    const store::Agent& agent;
    std::function<void(const std::string&)> warn;  // one line for people
    policy::Redaction redaction = policy::Redaction();
    const sys::Interrupt* interrupt = nullptr;  // a signal ends the waiting
    std::string actor = {};                     // actor_text, for the audit log
    std::int64_t turn_id = 0;
};

// Posts the texts, one after the other, where a person has set a channel for the agent. Returns
// when they are there or cannot be, after the time of CHORUS_CHANNEL_TIMEOUT_MS at most. What
// fails is told on `warn` and by a row of the audit log; nothing is thrown and nothing is tried
// again later: the transcript has it all. For a caller that holds no lock that others wait for, and
// is in no transaction.
void post_to_channel(const Posting& posting, const std::vector<std::string>& texts);
// The same for what the outbox has up to that row, of other turns too: so it comes in the order in
// which they ended, whichever process is the first to post. It is out of the outbox then.
void post_outbox(const Posting& posting, std::int64_t newest);

}  // namespace chorus::turn
