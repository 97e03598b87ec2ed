// What only a person can decide: asked at the terminal, or written down for whoever comes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chat/event.hpp"
#include "turn/judged.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

chat::PromptNotice notice_of(const store::Prompt& prompt);
// Why a turn waits: "permission" where one of them is that, else "question".
std::string reason_of(const std::vector<chat::PromptNotice>& prompts);

class Questions {
  public:
    // `bind`: what an approval of the call would be for at this moment.
    using Bind = std::function<Binding(const Judged&)>;
    Questions(Place& place, Record& record, const Surroundings& surroundings, Bind bind)
        : place_(place), record_(record), surroundings_(surroundings), bind_(std::move(bind)) {}

    // What people have said about a call that the policy asks about or allows.
    void heed(Judged& judged, policy::Verdict verdict);
    // An approval that was for something else is withdrawn: the call is open again.
    void compare(Judged& judged);
    void reopen(Judged& judged, const std::string& why);
    // Puts it on the terminal, where there is one, and on record, so that it can be decided from
    // anywhere: the first decision holds. Where files change while it stands there, it is asked
    // again with what has changed.
    Reply ask(Judged& judged, std::int64_t prompt_ttl_ms);
    // One like it was allowed for ever: nobody is asked about this one.
    void allow_equal(Judged& judged) const;
    // Rows for what is still open, and for what the terminal has decided of those that have no
    // result yet; the turn waits.
    std::vector<chat::PromptNotice> suspend(const std::vector<Judged>& calls,
                                            std::int64_t prompt_ttl_ms);

  private:
    store::Prompt new_row(const Judged& judged, std::int64_t prompt_ttl_ms) const;
    bool is_settled(const std::string& id);
    Reply ask_until_settled(Judged& judged, std::int64_t prompt_ttl_ms);
    bool take_settled_row(Judged& judged);
    bool settle_row(Judged& judged, const Reply& reply);
    void take_row(Judged& judged);
    void take_reply(Judged& judged, const Reply& reply) const;
    std::string actor() const { return record_.turn().actor; }

    Place& place_;
    Record& record_;
    const Surroundings& surroundings_;
    Bind bind_;
    std::int64_t seen_version_ = -1;  // of the database, when a row was last looked at
};

}  // namespace chorus::turn
