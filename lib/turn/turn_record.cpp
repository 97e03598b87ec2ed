#include "turn/turn_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/transcript.hpp"
#include "context/window.hpp"
#include "life/find_agent.hpp"
#include "place/rights.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "turn/record_change.hpp"

namespace chorus::turn {

using store::TurnState;

namespace {

chat::Message cut_notice() {
    chat::Message message;
    message.content = "[Your answer was cut off here. Go on from where it ended.]";
    return message;
}

}  // namespace

std::string transcript_of(const place::Place& place) {
    return context::transcript_path(place.directory, place.thread);
}

Record::Record(place::Place& place, store::Turn turn, std::optional<std::string> chain)
    : place_(place),
      turn_(std::move(turn)),
      chain_(std::move(chain)),
      next_step_(turn_.id == 0
                     ? 0
                     : static_cast<std::int64_t>(store::load_steps(place.store, turn_.id).size())),
      last_commit_(sys::now_ms()),
      transcript_(transcript_of(place)) {}

std::int64_t Record::insert(chat::Message message) {
    message.turn_id = turn_.id;
    message.timestamp = sys::now_ms();
    message.id = store::insert_message(place_.store, turn_.agent_id, turn_.thread_id, message);
    if (chain_) {
        chain_ = context::chained_hash(*chain_, message);
        store::set_prefix_hash(place_.store, message.id, *chain_);
    }
    fresh_.push_back(std::move(message));
    return fresh_.back().id;
}

void Record::step(const std::string& description, base::TimeMs started_at) {
    const base::TimeMs now = sys::now_ms();
    store::insert_step(place_.store,
                       {turn_.id, ++next_step_, description, started_at, now, now - started_at});
}

void Record::change_state(TurnState next, const std::string& cause) {
    const std::string previous(store::name(turn_.state));
    turn_.state = next;
    store::insert_event(place_.store, {.agent_id = turn_.agent_id,
                                       .thread_id = turn_.thread_id,
                                       .turn_id = turn_.id,
                                       .at = sys::now_ms(),
                                       .kind = "turn",
                                       .previous = previous,
                                       .next = std::string(store::name(next)),
                                       .cause = cause,
                                       .data = {}});
}

void Record::append_transcript() {
    try {
        // messages after a gap would hide it
        if (transcript_problem_.empty())
            context::append_to_transcript(transcript_,
                                          context::without_secrets(fresh_, place_.redaction));
    } catch (const base::Error& error) {
        transcript_problem_ = error.message();
    }
    std::move(fresh_.begin(), fresh_.end(), std::back_inserter(committed_));
    fresh_.clear();
    last_commit_ = sys::now_ms();
}

void Record::begin(std::optional<chat::Message> user_message) {
    Change change(*this);
    const sys::Identity self = sys::own_identity();
    turn_.pid = self.pid;
    turn_.pid_start = self.start;
    turn_.started_at = sys::now_ms();
    (void)life::require_again(place_.store, place_.agent);
    store::insert_turn(place_.store, turn_);
    note_permissions();
    change_state(TurnState::working, user_message ? "user message" : "inbox");
    const auto rows = waiting(!user_message.has_value());
    insert_inbox_messages(rows, true);
    if (user_message) {
        user_message->starts_turn = rows.empty();
        insert(std::move(*user_message));
    }
    store::update_turn(place_.store, turn_);
    store::set_thread_status(place_.store, turn_.agent_id, turn_.thread_id, "running",
                             turn_.started_at);
    change.commit();
    append_transcript();
}

void Record::reopen(const chat::Message& last) {
    Change change(*this);
    (void)life::require_again(place_.store, place_.agent);
    const sys::Identity self = sys::own_identity();
    turn_.pid = self.pid;
    turn_.pid_start = self.start;
    const bool had_ended = std::exchange(turn_.ended_at, 0) != 0;
    turn_.attempt += 1;
    turn_.reason.clear();
    turn_.error_category.clear();
    turn_.error_detail.clear();
    turn_.resume_at = 0;
    turn_.result.clear();
    next_position_ =
        static_cast<std::int64_t>(store::load_tool_runs(place_.store, turn_.id).size());
    has_inbox_ = true;  // assumed: an earlier attempt may have taken some
    if (had_ended) store::uncount_turn(place_.store, turn_);
    change_state(TurnState::working, "resumed");
    // providers refuse a conversation that ends with an answer
    if (last.role == chat::Role::assistant && last.tool_calls.empty()) insert(cut_notice());
    store::update_turn(place_.store, turn_);
    store::set_thread_status(place_.store, turn_.agent_id, turn_.thread_id, "running",
                             sys::now_ms());
    change.commit();
    append_transcript();
}

std::set<std::string> Record::call_ids() const {
    std::set<std::string> ids;
    for (const store::ToolRun& run : store::load_tool_runs(place_.store, turn_.id))
        ids.insert(run.tool_call_id);
    return ids;
}

void Record::begin_chain(const std::vector<chat::Message>& window) {
    if (!chain_) return;
    chain_ = "";
    const auto unsent = std::find_if(window.rbegin(), window.rend(), [](const auto& message) {
                            return message.role == chat::Role::assistant;
                        }).base();
    for (auto message = window.begin(); message != unsent; ++message)
        chain_ = context::chained_hash(*chain_, *message);
    store::Transaction transaction(place_.store);
    store::set_cut(place_.store, place_.thread);
    for (auto message = unsent; message != window.end(); ++message) {
        chain_ = context::chained_hash(*chain_, *message);
        if (message->turn_id == turn_.id)
            store::set_prefix_hash(place_.store, message->id, *chain_);
    }
    transaction.commit();
}

// Stores the prefix with the first answer to a request that begins differently from the one before.
// The window of a turn that keeps no chain is not the thread's.
void Record::note_prefix() {
    if (!chain_ || prefix_.message_id == 0) return;
    if (!store::note_prefix(place_.store, turn_.agent_id, turn_.thread_id, prefix_)) return;
    place_.thread.window_start = prefix_.window_start;
    store::set_cut(place_.store, place_.thread);
}

void Record::insert_reply(const chat::Reply& reply, const chat::Opaque* opaque) {
    chat::Message message;
    message.role = chat::Role::assistant;
    message.content = reply.text;
    message.tool_calls = reply.tool_calls;
    if (opaque != nullptr) message.opaque = *opaque;
    newest_answer_ = insert(std::move(message));
    note_prefix();
    step("model call", last_commit_);
}

void Record::keep(const chat::Reply& reply, const chat::Opaque* opaque) {
    Change change(*this);
    insert_reply(reply, opaque);
    for (const chat::ToolCall& call : reply.tool_calls)
        store::insert_tool_run(place_.store, {.turn_id = turn_.id,
                                              .position = next_position_++,
                                              .tool_call_id = call.id,
                                              .tool = call.name,
                                              .action = {},
                                              .decision = {},
                                              .evidence = {},
                                              .intent_at = 0,
                                              .finished_at = 0,
                                              .outcome = {}});
    if (!reply.tool_calls.empty())
        turn_.current_step =
            "calling " + std::string(base::utf8_prefix(reply.tool_calls.front().name, 64));
    store::update_turn(place_.store, turn_);
    change.commit();
    append_transcript();
}

// An approval is consumed once: a second use would be a second run.
void Record::use_up(const DecidedCall& call, base::TimeMs now) {
    if (call.prompt_id.empty() || store::consume_prompt(place_.store, call.prompt_id, now)) return;
    throw base::Error(base::ErrorCode::failed,
                      "prompt " + call.prompt_id + ": it was withdrawn or used meanwhile");
}

void Record::insert_intent(const DecidedCall& call, base::TimeMs now) {
    use_up(call, now);
    store::update_tool_run(place_.store, {.turn_id = turn_.id,
                                          .position = 0,
                                          .tool_call_id = call.call.id,
                                          .tool = call.tool,
                                          .action = call.action,
                                          .decision = call.decision,
                                          .evidence = call.evidence,
                                          .intent_at = now,
                                          .finished_at = 0,
                                          .outcome = {}});
    if (!call.change.patch.empty())
        store::set_patch(place_.store, turn_.id, call.call.id, call.change.patch);
}

void Record::note_permissions() {
    const auto given = place::permissions_of_turn(turn_);
    if (!given) return;
    store::append_audit(
        place_.store,
        {.agent_id = turn_.agent_id,
         .agent_name = place_.agent.name,
         .timestamp = turn_.started_at,
         .turn_id = turn_.id,
         .action = "turn:permissions:" + given->name,
         .decision = "allow",
         .user_id = static_cast<std::int64_t>(getuid()),
         .actor = turn_.actor,
         .detail = place_.redaction.apply("for this turn (--permissions): " + given->json)});
}

void Record::append_audit(const DecidedCall& call, base::TimeMs now) {
    if (call.decision.empty() || call.audited) return;
    store::append_audit(place_.store, {.agent_id = turn_.agent_id,
                                       .agent_name = place_.agent.name,
                                       .timestamp = now,
                                       .turn_id = turn_.id,
                                       .action = call.action,
                                       .decision = call.decision,
                                       .user_id = static_cast<std::int64_t>(getuid()),
                                       .actor = turn_.actor,
                                       .detail = call.detail});
}

void Record::decide(const std::vector<DecidedCall>& calls,
                    const std::vector<std::size_t>& starting) {
    const base::TimeMs now = sys::now_ms();
    Change change(*this);
    for (const DecidedCall& call : calls) append_audit(call, now);
    for (const std::size_t index : starting) insert_intent(calls[index], now);
    change.commit();
    last_commit_ = now;
}

void Record::finish(const std::vector<Finished>& results,
                    const std::vector<const DecidedCall*>& starting) {
    const base::TimeMs now = sys::now_ms();
    Change change(*this);
    for (const Finished& finished : results) {
        const DecidedCall& call = *finished.call;
        append_audit(call, now);
        chat::Message message;
        message.role = chat::Role::tool_result;
        message.content = finished.result.text;
        message.is_error = finished.result.is_error;
        message.tool_call_id = call.call.id;
        insert(std::move(message));
        if (finished.started_at == 0) use_up(call, now);
        store::cancel_prompts_of(place_.store, turn_.id, call.call.id, now);
        store::update_tool_run(place_.store, {.turn_id = turn_.id,
                                              .position = 0,
                                              .tool_call_id = call.call.id,
                                              .tool = call.tool,
                                              .action = call.action,
                                              .decision = call.decision,
                                              .evidence = call.evidence,
                                              .intent_at = finished.started_at,
                                              .finished_at = now,
                                              .outcome = finished.outcome});
        step("tool " + call.tool, finished.started_at != 0 ? finished.started_at : now);
    }
    for (const DecidedCall* call : starting) {
        append_audit(*call, now);
        insert_intent(*call, now);
    }
    change.commit();
    append_transcript();
}

std::vector<store::InboxRow> Record::waiting(bool with_one_that_begins) {
    auto rows = store::undelivered(place_.store, turn_.agent_id, turn_.thread_id);
    bool is_taken = !with_one_that_begins;
    std::erase_if(rows, [&](const store::InboxRow& row) {
        return row.begins_turn && std::exchange(is_taken, true);
    });
    return rows;
}

void Record::insert_inbox_messages(const std::vector<store::InboxRow>& rows, bool begins_turn) {
    for (const store::InboxRow& row : rows) {
        chat::Message message;
        message.content = row.content;
        message.starts_turn = begins_turn && row.id == rows.front().id;
        insert(std::move(message));
        store::mark_delivered(place_.store, row.id, turn_.id);
        has_inbox_ = true;
    }
}

void Record::deliver_inbox() {
    if (waiting(false).empty()) return;
    Change change(*this);
    insert_inbox_messages(waiting(false), false);
    change.commit();
    append_transcript();
}

void Record::describe_audit(chat::TurnResult& result) {
    const store::AuditHead head = store::audit_head(place_.store);
    result.audit_rows = head.rows;
    result.audit_hash = head.hash;
}

void Record::write_end(chat::TurnResult& result) {
    const base::TimeMs now = sys::now_ms();
    describe_audit(result);
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
    // a question was on the terminal when a signal came
    if (has_asked_) store::cancel_questions(place_.store, turn_.id, now);
    store::set_thread_status(place_.store, turn_.agent_id, turn_.thread_id, "idle", now);
}

void Record::conclude(const chat::Reply& reply, const chat::Opaque* opaque,
                      chat::TurnResult& result) {
    Change change(*this);
    insert_reply(reply, opaque);
    change_state(TurnState::idle, "completed");
    write_end(result);
    place::keep_for_channel(place_, turn_.id, result.text);
    change.commit();
    append_transcript();
}

void Record::end(chat::TurnResult& result) {
    using chat::State;
    Change change(*this);
    const TurnState next = result.reason == "all_profiles_rate_limited" ? TurnState::parked
                           : result.state == State::canceled            ? TurnState::exited
                           : result.state == State::failed              ? TurnState::error
                                                                        : TurnState::idle;
    change_state(next,
                 result.reason.empty() ? std::string(chat::name(result.state)) : result.reason);
    write_end(result);
    keep_end_for_channel(result);
    change.commit();
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
