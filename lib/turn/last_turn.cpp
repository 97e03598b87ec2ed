#include "turn/last_turn.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "turn/questions.hpp"
#include "turn/queue.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using store::TurnState;

// All its questions are decided, and nobody has gone on with it.
chat::TurnResult not_gone_on(Place& place, const store::Turn& turn) {
    chat::TurnResult result = about(place, turn);
    result.state = chat::State::input_required;
    result.reason = "decided";
    result.exit_status = ExitStatus::input_required;
    result.error =
        Error(ErrorCode::input_required, "turn: the one before is decided and has not gone on",
              "chorus-run " + place.agent.name + " --resume, or --cancel-prompts gives it up");
    return result;
}

}  // namespace

void end_open_turn(Place& place, store::Turn turn, const std::string& reason) {
    store::Transaction transaction(place.store);
    store::cancel_prompts(place.store, turn.id, sys::now_ms());
    write_exit(place.store, turn, reason);
    transaction.commit();
}

chat::TurnResult about(Place& place, const store::Turn& turn) {
    chat::TurnResult result;
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.turn_id = turn.id;
    result.turn_number = turn.turn_number;
    result.usage = turn.usage;
    result.iterations = turn.iterations;
    result.tool_calls = turn.tool_calls;
    const store::AuditHead head = store::audit_head(place.store);
    result.audit_rows = head.rows;
    result.audit_hash = head.hash;
    return result;
}

chat::TurnResult still_waiting(Place& place, const store::Turn& turn,
                               const std::vector<store::Prompt>& prompts) {
    chat::TurnResult result = about(place, turn);
    result.state = chat::State::input_required;
    result.exit_status = ExitStatus::input_required;
    for (const store::Prompt& prompt : prompts) result.prompts.push_back(notice_of(prompt));
    result.reason = reason_of(result.prompts);
    result.error = Error(ErrorCode::input_required, "turn: it waits for a decision");
    return result;
}

Asked asked_of(Place& place, const store::Turn& turn) {
    Asked asked;
    expire_prompts(place.store);
    for (store::Prompt& prompt : store::load_prompts(place.store, turn.id)) {
        asked.decided = asked.decided || (prompt.consumed_at == 0 &&
                                          (prompt.state == "approved" || prompt.state == "denied" ||
                                           prompt.state == "answered"));
        if (prompt.state == "pending") asked.pending.push_back(std::move(prompt));
    }
    return asked;
}

[[noreturn]] void refuse_parked(const Place& place, const store::Turn& turn) {
    throw Error(ErrorCode::parked,
                "agent '" + place.agent.name + "': its turn is parked until " +
                    base::iso8601(turn.resume_at) + ": every credential is rate-limited",
                "chorus-run " + place.agent.name + " --resume after that");
}

void say_recovered(const Surroundings& surroundings, const store::Turn& turn,
                   const std::vector<Unfinished>& calls) {
    surroundings.warn("recovered turn " + std::to_string(turn.turn_number) +
                      ", whose process died" + describe(calls));
}

// Before a new message: a suspended turn answers again or is given up, a crashed one is closed, and
// no call of the last turn is left without a result. A result means that nothing new may begin.
std::optional<chat::TurnResult> settle_last_turn(Place& place, const TurnOptions& options,
                                                 const Surroundings& surroundings) {
    const auto [last, crashed] = take_over(place, surroundings);
    if (!last) return std::nullopt;
    std::string outcome;
    if (last->ended_at == 0 && last->state == TurnState::parked) {
        if (last->resume_at > sys::now_ms()) {
            if (options.queue) return queue_behind(place, options, surroundings);
            refuse_parked(place, *last);
        }
        end_open_turn(place, *last, "superseded");
    } else if (last->ended_at == 0) {
        const Asked asked = asked_of(place, *last);
        const bool waits = !asked.pending.empty() || asked.decided;
        if (waits && !options.cancel_prompts)
            return options.queue           ? queue_behind(place, options, surroundings)
                   : asked.pending.empty() ? not_gone_on(place, *last)
                                           : still_waiting(place, *last, asked.pending);
        outcome = waits ? "cancelled" : "expired";
        end_open_turn(place, *last, outcome);
    }
    const auto calls = unfinished_calls(place, *last);
    if (!calls.empty()) {
        Record record(place, *last, stored_chain(place));
        settle_calls(record, calls, outcome);
    }
    if (crashed) say_recovered(surroundings, *last, calls);
    return std::nullopt;
}

base::Error with_way_on(const base::Error& error, const Place& place, const store::Turn& turn) {
    if (!error.message().starts_with("database: ")) return error;
    return {error.code(), error.message(),
            "turn " + std::to_string(turn.turn_number) +
                " is on record; when that is mended, it goes on with: chorus-run " +
                place.agent.name +
                (turn.thread_id == 1 ? "" : " -t " + std::to_string(turn.thread_id)) + " --resume"};
}

}  // namespace chorus::turn
