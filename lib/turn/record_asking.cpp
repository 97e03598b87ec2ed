// The part of Record that waits for a person.
#include "base/time.hpp"
#include "context/transcript.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "turn/notice.hpp"
#include "turn/record_change.hpp"

namespace chorus::turn {

using store::TurnState;

void Record::begin_asking(const store::Prompt& prompt) {
    Change change(*this);
    has_asked_ = true;
    if (!store::find_prompt(place_.store, prompt.id)) store::insert_prompt(place_.store, prompt);
    wait_for_person("asks at the terminal");
    change.commit();
}

void Record::end_asking() {
    Change change(*this);
    change_state(TurnState::working, "asked");
    store::update_turn(place_.store, turn_);
    store::set_thread_status(place_.store, turn_.agent_id, turn_.thread_id, "running",
                             sys::now_ms());
    change.commit();
}

void Record::wait_for_person(const std::string& cause) {
    change_state(TurnState::prompt, cause);
    store::update_turn(place_.store, turn_);
    store::set_thread_status(place_.store, turn_.agent_id, turn_.thread_id,
                             "waiting_for_permission", sys::now_ms());
}

void Record::suspend(const std::vector<store::Prompt>& prompts,
                     const std::vector<DecidedCall>& decided) {
    const base::TimeMs now = sys::now_ms();
    Change change(*this);
    for (const store::Prompt& prompt : prompts) store::insert_prompt(place_.store, prompt);
    for (const DecidedCall& call : decided) append_audit(call, now);
    turn_.pid = 0;
    turn_.pid_start = 0;
    wait_for_person("waits for a decision");
    const std::string told = how_to_decide(place_.agent.name, prompts);
    if (!told.empty()) place::keep_for_channel(place_, turn_.id, "Waits for a person\n\n" + told);
    change.commit();
    append_notice(told);
}

void Record::append_notice(const std::string& text) {
    if (text.empty()) return;
    try {
        if (transcript_problem_.empty())
            context::append_notice(transcript_,
                                   "Waits for a person · " + base::iso8601(sys::now_ms()), text);
    } catch (const base::Error& error) {
        transcript_problem_ = error.message();
    }
}

}  // namespace chorus::turn
