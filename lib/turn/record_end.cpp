// The end of a turn: its row, its result, and what the channel is told.
#include <string>

#include "base/text.hpp"
#include "place/place.hpp"
#include "place/rights.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "turn/kept_options.hpp"
#include "turn/last_turn.hpp"
#include "turn/messaging.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

using store::TurnState;

void describe_records(store::Store& store, const store::Turn& turn, chat::TurnResult& result) {
    result.permissions = turn.profile;
    result.metadata = store::metadata_of(turn);
    const store::AuditHead head = store::audit_head(store);
    result.audit_rows = head.rows;
    result.audit_hash = head.hash;
    if (result.tool_calls == 0) return;
    result.sub_agents.count = store::count_spawned(store, result.turn_id);
    if (result.sub_agents.count > 0)
        result.sub_agents.usage = store::spent_below(store, result.turn_id).settled;
}

void Record::write_end(chat::TurnResult& result) {
    const base::TimeMs now = sys::now_ms();
    describe_records(place_.store, turn_, result);
    turn_.exit_code = static_cast<int>(result.exit_status);
    turn_.reason = result.reason;
    turn_.resume_at = result.resume_at;
    turn_.error_category = result.error_category;
    turn_.error_detail = result.error ? result.error->message() : "";
    turn_.current_step.clear();
    turn_.prefix_hash = chain_.value_or("");
    // later requests with these messages would be refused as well
    if (result.reason == refused_reason) {
        store::drop_messages(place_.store, turn_.id, 0);
        turn_.prefix_hash.clear();
    }
    turn_.pid = 0;
    turn_.pid_start = 0;
    const bool parked = turn_.state == TurnState::parked;
    if (!parked) turn_.ended_at = now;
    if (!turn_.idempotency_key.empty()) turn_.result = chat::to_json(result);
    store::update_turn(place_.store, turn_);
    if (!parked) store::count_turn(place_.store, turn_, now);
    if (!parked) report_to_spawner(place_, result);
    // a question was on the terminal when a signal came
    if (has_asked_) store::cancel_questions(place_.store, turn_.id, now);
}

chat::Message invalid_answer(const std::string& problem) {
    chat::Message told;
    told.content = "That answer is not valid against the JSON Schema:\n" + problem +
                   "\nAnswer again with the whole JSON value, and nothing else.";
    return told;
}

void Record::clear_end() {
    turn_.exit_code = -1;
    turn_.reason.clear();
    turn_.error_category.clear();
    turn_.error_detail.clear();
    turn_.resume_at = 0;
    turn_.result.clear();
}

void Record::conclude(const chat::Reply& reply, chat::TurnResult& result) {
    commit([&] {
        insert_reply(reply, sys::now_ms());
        enter(place_.store, turn_, TurnState::idle, "completed");
        write_end(result);
        place::keep_for_channel(place_, turn_.id, result.text);
    });
}

void Record::end(chat::TurnResult& result) {
    using chat::State;
    const bool parks =
        result.reason == rate_limited_reason && !store::is_ephemeral(turn_.thread_id);
    const TurnState next = parks                             ? TurnState::parked
                           : result.state == State::canceled ? TurnState::exited
                           : result.state == State::failed   ? TurnState::error
                                                             : TurnState::idle;
    commit([&] {
        enter(place_.store, turn_, next,
              result.reason.empty() ? std::string(chat::name(result.state)) : result.reason);
        write_end(result);
        keep_end_for_channel(result);
    });
}

// Posts why there is no answer, or only part of it; not after a signal, whose sender knows.
void Record::keep_end_for_channel(const chat::TurnResult& result) {
    if (!result.error || result.state == chat::State::canceled) return;
    if (result.exit_status == base::ExitStatus::limit)
        place::keep_for_channel(place_, turn_.id, result.text);
    const std::string& hint = result.error->hint();
    place::keep_for_channel(place_, turn_.id,
                            "Turn " + std::to_string(turn_.turn_number) + " of " +
                                place_.agent.name + ": " +
                                base::visible(result.error->message(), base::Newlines::escape) +
                                (hint.empty() ? "" : "\n" + hint));
}

}  // namespace chorus::turn
