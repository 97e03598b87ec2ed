// Posts to the agent's channel (key channel_id; chorus-home(5), CHANNEL).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "place/turn_options.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"

namespace chorus::channel {

// The agent to post for, and what posting needs.
struct Posting {
    const agent::Home& home;
    const sys::Environment& environment;
    store::Store& store;
    const store::Agent& agent;
    std::function<void(const std::string&)> warn;  // one line for people
    policy::Redaction redaction = policy::Redaction();
    const sys::Interrupt* interrupt = nullptr;  // a signal ends the wait
    std::string actor = {};                     // actor_text, for the audit log
    std::int64_t turn_id = 0;
};

// `claimed`: the name of the person, as of place::actor_text.
Posting posting_of(const place::Surroundings& surroundings, store::Store& store,
                   const store::Agent& agent, const policy::Redaction& redaction,
                   const std::string& claimed = {});

// Posts the texts in order if a person has set a channel for the agent. Returns when they are
// posted or have failed, after CHORUS_CHANNEL_TIMEOUT_MS at most. A failure is reported to `warn`
// and in the audit log; nothing is thrown or tried again later, since the transcript has the texts.
// The caller must hold no lock that others wait for and be in no transaction.
void post_to_channel(const Posting& posting, const std::vector<std::string>& texts);
// Posts the outbox up to that row and removes the rows. These may be of other turns too, so that
// posts appear in the order in which turns ended, whichever process posts first.
void post_outbox(const Posting& posting, std::int64_t newest);

}  // namespace chorus::channel
