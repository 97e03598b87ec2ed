#include "turn/recovery.hpp"

#include <algorithm>

#include "context/transcript.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "tools/tool.hpp"
#include "turn/leftovers.hpp"
#include "turn/record.hpp"

namespace chorus::turn {
namespace {

using store::TurnState;

std::string outcome_of(const Unfinished& unfinished) {
    if (unfinished.run.intent_at == 0) return "interrupted";
    const tools::Tool* tool = tools::find_tool(unfinished.run.tool);
    return tool != nullptr && tool->kind == tools::Class::read ? "interrupted" : "unknown";
}

std::string text_of(const std::string& outcome) {
    if (outcome == "interrupted")
        return "interrupted: the call was not run; nothing was changed by it";
    if (outcome == "cancelled") return "cancelled: the user sent a new message";
    return "unknown: the process died while this ran. It may have taken effect, in part or whole; "
           "it was not run again. Look before repeating it";
}

}  // namespace

std::optional<std::string> stored_chain(Place& place) {
    std::string chain = store::prefix_hash_of(
        place.store, store::newest_message_id(place.store, place.agent.id, place.thread.id));
    if (chain.empty()) return std::nullopt;
    return chain;
}

void write_exit(Place& place, store::Turn& turn, const std::string& reason) {
    const base::TimeMs now = sys::now_ms();
    store::insert_event(place.store, {.agent_id = turn.agent_id,
                                      .thread_id = turn.thread_id,
                                      .turn_id = turn.id,
                                      .at = now,
                                      .kind = "turn",
                                      .previous = std::string(store::name(turn.state)),
                                      .next = std::string(store::name(TurnState::exited)),
                                      .cause = reason,
                                      .data = {}});
    turn.state = TurnState::exited;
    turn.reason = reason;
    turn.pid = 0;
    turn.pid_start = 0;
    turn.ended_at = now;
    store::update_turn(place.store, turn);
    store::count_turn(place.store, turn, now);
    store::set_thread_status(place.store, turn.agent_id, turn.thread_id, "idle", now);
}

LastTurn take_over(Place& place) {
    // an open turn is the newest one: none begins beside it
    auto turn = store::newest_turn(place.store, place.agent.id, place.thread.id);
    if (!turn || turn->pid == 0) return {std::move(turn), false};
    // we hold the thread's lock, so whoever had it is gone, whatever runs under that pid now
    remove_leftovers(place, *turn);
    store::Transaction transaction(place.store);
    write_exit(place, *turn, "crashed");
    transaction.commit();
    return {std::move(turn), true};
}

std::vector<Unfinished> unfinished_calls(store::Store& store, const store::Turn& turn) {
    if (turn.state == TurnState::idle) return {};
    std::vector<Unfinished> open;
    const auto runs = store::load_tool_runs(store, turn.id);
    for (const chat::Message& message : store::load_turn_messages(store, turn.id)) {
        for (const chat::ToolCall& call : message.tool_calls) {
            const auto run =
                std::find_if(runs.begin(), runs.end(), [&](const store::ToolRun& candidate) {
                    return candidate.tool_call_id == call.id && candidate.finished_at == 0;
                });
            if (run != runs.end()) open.push_back({call, *run});
        }
    }
    return open;
}

void settle_calls(Record& record, const std::vector<Unfinished>& calls,
                  const std::string& outcome_for_all) {
    if (calls.empty()) return;
    std::vector<DecidedCall> decided;
    decided.reserve(calls.size());
    std::vector<Record::Finished> results;
    for (const Unfinished& unfinished : calls) {
        decided.push_back({.call = unfinished.call,
                           .tool = unfinished.run.tool,
                           .action = unfinished.run.action,
                           .decision = unfinished.run.decision,
                           .detail = {},
                           .runs = false,
                           .refusal = {}});
        const std::string outcome =
            outcome_for_all.empty() ? outcome_of(unfinished) : outcome_for_all;
        results.push_back(
            {&decided.back(), {text_of(outcome), true}, outcome, unfinished.run.intent_at});
    }
    record.finish(results, {});
}

void mend_transcript(Place& place) {
    const std::string path = transcript_of(place);
    const std::int64_t newest =
        store::newest_message_id(place.store, place.agent.id, place.thread.id);
    if (newest == 0) return;
    const std::int64_t last = context::last_transcript_message(path);
    if (last >= newest) return;
    context::append_to_transcript(
        path, without_secrets(
                  store::load_messages_after(place.store, place.agent.id, place.thread.id, last),
                  place.redaction));
}

}  // namespace chorus::turn
