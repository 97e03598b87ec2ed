// What only a person can decide: asked at the terminal, or stored as pending prompts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chat/event.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

chat::PromptNotice notice_of(const store::Prompt& prompt);
// Returns why a turn waits: "permission" if one of the prompts is of that kind, else "question".
std::string reason_of(const std::vector<chat::PromptNotice>& prompts);

class Questions {
  public:
    // `bind`: returns what an approval of the call would be bound to now.
    using Bind = std::function<approval::Binding(const Judged&)>;
    Questions(place::Place& place, Record& record, Bind bind)
        : place_(place), record_(record), bind_(std::move(bind)) {}

    // Applies people's decisions about a call that the policy asks about or allows.
    void heed(Judged& judged, policy::Verdict verdict);
    // Withdraws an approval that no longer fits the call; the call is then undecided again.
    void compare(Judged& judged);
    void reopen(Judged& judged, const std::string& why);
    // Asks at the terminal, if there is one, and stores the question so that it can be decided from
    // anywhere; the first decision holds. If files change while it is shown, it is asked again with
    // what has changed.
    place::PersonAnswer ask(Judged& judged);
    // Approves a call whose action was just approved with `always`.
    void allow_equal(Judged& judged) const;
    // Asks at the terminal what sub-agents of this turn wait for. Returns whether all is decided.
    bool ask_for_sub_agents();
    // Stores rows for undecided calls, and for calls decided at the terminal that have no result
    // yet; the turn waits.
    std::vector<chat::PromptNotice> suspend(std::vector<Judged>& calls);

  private:
    bool may_be_stored(const Judged& judged) const;
    store::Prompt new_row(const Judged& judged) const;
    bool is_settled(const std::string& id);
    place::PersonAnswer ask_until_settled(Judged& judged);
    bool take_settled_row(Judged& judged);
    bool settle_row(Judged& judged, const place::PersonAnswer& reply);
    void take_row(Judged& judged);
    void take_reply(Judged& judged, const place::PersonAnswer& reply) const;

    place::Place& place_;
    Record& record_;
    Bind bind_;
    std::int64_t seen_version_ = -1;  // of the database when a row was last read
};

}  // namespace chorus::turn
