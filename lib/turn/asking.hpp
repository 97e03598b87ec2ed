// Asks a model with the key in force. After a rate limit, the same request is sent with the next
// credential profile.
#pragma once

#include <functional>

#include "model/model.hpp"
#include "model/retry.hpp"
#include "place/keyring.hpp"
#include "turn/spending.hpp"

namespace chorus::turn {

struct Asking {
    model::Model& model;
    const Account& account;
    place::Keys& keys;
    model::Interruption interruption;
    model::RetryPolicy policy;
    place::Keys::Commit commit;  // writes what a change of profile writes
    std::function<void(const model::RetryEvent&)> on_retry = {};
    // A request is sent with another profile than the one before it.
    std::function<void(const std::string& previous, const std::string& profile)> on_switch = {};
};

struct LimitedAnswer {
    model::Answer answer;
    base::TimeMs resume_at = 0;  // after a rate limit; else 0
};

// Throws Error(config_invalid) if a profile has no key.
LimitedAnswer ask_model(const Asking& asking, const chat::Request& request,
                        const model::StreamSink& sink);
// Returns the data of the event "internal:model-answer": why it stopped, and its usage.
std::string about_answer(const model::Answer& answer);

}  // namespace chorus::turn
