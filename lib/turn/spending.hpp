// Writes each request of a model to the ledger, and keeps requests within the budgets: it is
// reserved with the most that it may use, and settled with what the provider reports.
#pragma once

#include <functional>
#include <string>

#include "model/model.hpp"
#include "place/in_force.hpp"
#include "store/ledger.hpp"

namespace chorus::turn {

// The agent and the turn that the requests are charged to, and their budgets.
struct Account {
    store::Store& store;
    store::AgentId agent = 0;
    store::TurnId turn = 0;  // 0: none
    const place::Settings& settings;
    const std::function<void(const std::string&)>& warn;
    // Returns what the turn has used so far.
    std::function<chat::Usage()> used = [] { return chat::Usage{}; };
    // Has to settle the call: at once, or with what the answer changes.
    std::function<void(const store::ModelCall&, base::TimeMs sent_at, bool at_once)> settle;
};

// The model of an account. What an answer used is in its usage, with its cost; as an estimate if
// the provider has not said it. A request that a budget has no room for gets a failure, and one
// whose answer it has no room for is sent with a smaller max_output_tokens; Answer::budget names
// the budget then. One that has no room only while other requests are in flight waits for them.
class PaidModel final : public model::Model {
  public:
    // `profile` returns the credential profile of the next request. All must outlive it.
    PaidModel(const Account& account, model::Model& model, std::function<std::string()> profile)
        : account_(account), model_(model), profile_(std::move(profile)) {}

    model::Answer ask(const chat::Request& request, const model::StreamSink& sink,
                      const model::Interruption& interruption) override;

  private:
    struct Bound;
    struct Admission;
    std::vector<Bound> bounds(base::TimeMs now) const;
    Admission admit(store::ModelCall& call, std::int64_t wanted_output, base::TimeMs now) const;
    Admission wait_for_room(store::ModelCall& call, std::int64_t wanted_output,
                            const model::Interruption& interruption) const;
    void charge(store::ModelCall& call, model::Answer& answer, bool was_stopped,
                base::TimeMs sent_at) const;

    const Account& account_;
    model::Model& model_;
    std::function<std::string()> profile_;
};

}  // namespace chorus::turn
