#include "turn/turn_record.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/session.hpp"
#include "context/transcript.hpp"
#include "context/window.hpp"
#include "life/find_agent.hpp"
#include "place/rights.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "turn/attaching.hpp"
#include "turn/last_turn.hpp"
#include "turn/notice.hpp"

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

void Record::emit(const chat::Event& event) {
    if (kept_)
        kept_->events.push_back(event);
    else
        place_.surroundings.on_event(event, {place_.agent.name, place_.thread.id, turn_.id});
}

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

void Record::step(const std::string& description, base::TimeMs started_at, base::TimeMs ended_at) {
    store::insert_step(place_.store, {turn_.id, ++next_step_, description, started_at, ended_at,
                                      ended_at - started_at});
}

void enter(store::Store& store, store::Turn& turn, TurnState next, const std::string& cause) {
    if (!store::is_ephemeral(turn.thread_id))  // ids of deleted events would be used again
        store::insert_event(store, {.agent_id = turn.agent_id,
                                    .thread_id = turn.thread_id,
                                    .turn_id = turn.id,
                                    .at = sys::now_ms(),
                                    .kind = "turn",
                                    .previous = std::string(store::name(turn.state)),
                                    .next = std::string(store::name(next)),
                                    .cause = cause});
    turn.state = next;
}

// If the transaction is rolled back, the record's state in memory is restored too.
void Record::commit(const std::function<void()>& write) {
    const auto before = std::tuple(turn_, chain_, next_position_, next_step_, newest_answer_);
    try {
        store::Transaction transaction(place_.store);
        for (const auto& [call, sent_at] : unsettled_)
            store::settle_call(place_.store, call, sent_at);
        if (kept_) insert_kept();
        write();
        alerts_.write(turn_);
        transaction.commit();
        unsettled_.clear();
        alerts_.settle();
    } catch (...) {
        std::tie(turn_, chain_, next_position_, next_step_, newest_answer_) = before;
        fresh_.clear();
        throw;
    }
    append_transcript();
    if (kept_) show_kept();
}

void Record::append_transcript(const std::string& notice) {
    try {
        // messages after a gap would hide it
        if (transcript_problem_.empty())
            context::append_to_transcript(transcript_,
                                          context::without_secrets(fresh_, place_.redaction));
        if (transcript_problem_.empty() && !notice.empty())
            context::append_notice(transcript_,
                                   "Waits for a person · " + base::iso8601(sys::now_ms()), notice);
    } catch (const base::Error& error) {
        transcript_problem_ = error.message();
    }
    std::move(fresh_.begin(), fresh_.end(), std::back_inserter(committed_));
    fresh_.clear();
    last_commit_ = sys::now_ms();
}

void Record::note_model_call(const store::ModelCall& call, base::TimeMs sent_at, bool at_once) {
    unsettled_.emplace_back(call, sent_at);
    turn_.usage += call.usage;
    if (at_once) commit([&] { store::update_turn(place_.store, turn_); });
}

void Record::begin_work(const std::string& cause) {
    const sys::Identity self = sys::own_identity();
    turn_.pid = self.pid;
    turn_.pid_start = self.start;
    (void)life::require_again(place_.store, place_.agent);
    if (turn_.id == 0) {
        turn_.started_at = sys::now_ms();
        store::insert_turn(place_.store, turn_);
        note_permissions();
    }
    enter(place_.store, turn_, TurnState::working, cause);
}

void Record::begin(std::optional<chat::Message> user_message) {
    commit([&] {
        begin_work(user_message ? "user message" : "inbox");
        const auto rows = waiting(!user_message.has_value());
        insert_inbox_messages(rows, true);
        if (user_message) {
            user_message->starts_turn = rows.empty();
            keep_attachments(place_);
            if (place_.thread.summary.empty())
                store::begin_summary(place_.store, turn_.agent_id, turn_.thread_id,
                                     place_.redaction.apply(context::topic_of(*user_message)));
            insert(std::move(*user_message));
        }
        store::update_turn(place_.store, turn_);
    });
}

void Record::reopen(const chat::Message& last) {
    commit([&] {
        const bool had_ended = std::exchange(turn_.ended_at, 0) != 0;
        chat::Message next =
            turn_.reason == schema_reason ? invalid_answer(turn_.error_detail) : cut_notice();
        turn_.attempt += 1;
        clear_end();
        next_position_ =
            static_cast<std::int64_t>(store::load_tool_runs(place_.store, turn_.id).size());
        has_inbox_ = true;  // assumed: an earlier attempt may have taken some
        if (had_ended) store::uncount_turn(place_.store, turn_);
        begin_work("resumed");
        // providers refuse a conversation that ends with an answer
        if (last.role == chat::Role::assistant && last.tool_calls.empty()) insert(std::move(next));
        store::update_turn(place_.store, turn_);
    });
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

void Record::insert_reply(const chat::Reply& reply, base::TimeMs ended_at) {
    chat::Message message;
    message.role = chat::Role::assistant;
    message.content = reply.text;
    message.tool_calls = reply.tool_calls;
    message.opaque = reply.opaque;
    newest_answer_ = insert(std::move(message));
    note_prefix();
    step("model call", last_commit_, ended_at);
}

void Record::keep(const chat::Reply& reply) {
    if (!reply.tool_calls.empty()) {
        kept_ = Kept{reply, sys::now_ms()};
        return;
    }
    commit([&] {
        insert_reply(reply, sys::now_ms());
        store::update_turn(place_.store, turn_);
    });
    emit_answer(reply.text);
}

void Record::commit_kept() {
    if (kept_) commit([] {});
}

void Record::insert_kept() {
    const chat::Reply& reply = kept_->reply;
    insert_reply(reply, kept_->at);
    for (const chat::ToolCall& call : reply.tool_calls)
        store::insert_tool_run(place_.store, {.turn_id = turn_.id,
                                              .position = next_position_++,
                                              .tool_call_id = call.id,
                                              .tool = call.name});
    turn_.current_step =
        "calling " + std::string(base::utf8_prefix(reply.tool_calls.front().name, 64));
    store::update_turn(place_.store, turn_);
}

void Record::emit_answer(const std::string& text) {
    emit(chat::MessageEvent{chat::Role::assistant, newest_answer_, place_.redaction.apply(text),
                            turn_.usage});
}

void Record::show_kept() {
    const Kept kept = *std::exchange(kept_, std::nullopt);
    emit_answer(kept.reply.text);
    for (const chat::Event& event : kept.events) emit(event);
}

void Record::keep(const chat::Reply& reply, chat::Message told) {
    commit([&] {
        insert_reply(reply, sys::now_ms());
        insert(std::move(told));
        store::update_turn(place_.store, turn_);
    });
}

// An approval is consumed once: a second use would be a second run.
void Record::use_up(const Judged& call, base::TimeMs now) {
    if (call.prompt_id.empty() || store::consume_prompt(place_.store, call.prompt_id, now)) return;
    throw base::Error(base::ErrorCode::failed,
                      "prompt " + call.prompt_id + ": it was withdrawn or used meanwhile");
}

store::ToolRun Record::run_of(const Judged& call) const {
    return {.turn_id = turn_.id,
            .tool_call_id = call.id,
            .tool = call.name,
            .action = call.action,
            .decision = call.decision,
            .evidence = call.evidence};
}

void Record::insert_intent(Judged& call, base::TimeMs now) {
    use_up(call, now);
    store::ToolRun run = run_of(call);
    run.intent_at = now;
    store::update_tool_run(place_.store, run);
    if (!call.change.patch.empty())
        store::set_patch(place_.store, turn_.id, call.id, call.change.patch);
    call.planned = false;
}

void Record::insert_result(const Judged& call, base::TimeMs now) {
    chat::Message message;
    message.role = chat::Role::tool_result;
    message.content = call.result.text;
    message.is_error = call.result.is_error;
    message.tool_call_id = call.id;
    insert(std::move(message));
    if (call.started_at == 0) use_up(call, now);
    store::cancel_prompts_of(place_.store, turn_.id, call.id, now);
    store::ToolRun run = run_of(call);
    run.intent_at = call.started_at;
    run.finished_at = now;
    run.outcome = call_outcomes.name(call.outcome);
    store::update_tool_run(place_.store, run);
    step("tool " + call.name, call.started_at != 0 ? call.started_at : now, sys::now_ms());
}

void Record::note_permissions() {
    const auto given = place::permissions_of_turn(turn_);
    if (!given) return;
    store::append_audit(
        place_.store, place_.agent,
        {.timestamp = turn_.started_at,
         .turn_id = turn_.id,
         .action = "turn:permissions:" + given->name,
         .decision = "allow",
         .actor = turn_.actor,
         .detail = place_.redaction.apply("for this turn (--permissions): " + given->json)});
}

void Record::append_audit(Judged& call, base::TimeMs now) {
    if (call.decision.empty() || call.audited) return;
    store::append_audit(place_.store, place_.agent,
                        {.timestamp = now,
                         .turn_id = turn_.id,
                         .action = call.action,
                         .decision = call.decision,
                         .actor = turn_.actor,
                         .detail = call.detail});
    call.audited = true;
}

void Record::advance(const std::vector<Judged*>& ended, const std::vector<Judged*>& others) {
    const base::TimeMs now = sys::now_ms();
    commit([&] {
        for (Judged* call : ended) {
            append_audit(*call, now);
            insert_result(*call, now);
        }
        for (Judged* call : others) {
            append_audit(*call, now);
            if (call->planned) insert_intent(*call, now);
        }
    });
}

// The question is stored, so that it can be decided from anywhere.
void Record::begin_asking(const store::Prompt& prompt) {
    go_to(TurnState::prompt, "asks at the terminal", [&] {
        has_asked_ = true;
        if (!store::find_prompt(place_.store, prompt.id))
            store::insert_prompt(place_.store, prompt);
    });
}

void Record::go_to(TurnState next, const std::string& cause, const std::function<void()>& change) {
    commit([&] {
        if (change) change();
        enter(place_.store, turn_, next, cause);
        store::update_turn(place_.store, turn_);
    });
}

void Record::restart(const std::string& previous, const std::string& profile) {
    go_to(TurnState::restarting, previous + " -> " + profile, [&] { turn_.attempt += 1; });
}

void Record::park(base::TimeMs resume_at, const std::string& credential) {
    go_to(TurnState::parked, std::string(rate_limited_reason), [&] {
        turn_.reason = rate_limited_reason;
        turn_.resume_at = resume_at;
        keep_cooling(turn_, credential);
    });
}

void Record::unpark() {
    go_to(TurnState::working, "resumed", [&] {
        turn_.attempt += 1;
        turn_.reason.clear();
        turn_.resume_at = 0;
    });
}

void Record::suspend(const std::vector<store::Prompt>& prompts,
                     const std::vector<Judged*>& decided) {
    const base::TimeMs now = sys::now_ms();
    wait_for_person(prompts, [&] {
        for (const store::Prompt& prompt : prompts) store::insert_prompt(place_.store, prompt);
        for (Judged* call : decided) append_audit(*call, now);
    });
}

void Record::suspend_for(const std::vector<store::Prompt>& below) {
    wait_for_person(below, [] {});
}

void Record::wait_for_person(const std::vector<store::Prompt>& prompts,
                             const std::function<void()>& also) {
    const std::string told = how_to_decide(place_.agent.name, prompts);
    commit([&] {
        also();
        turn_.pid = 0;
        turn_.pid_start = 0;
        enter(place_.store, turn_, TurnState::prompt, "waits for a decision");
        store::update_turn(place_.store, turn_);
        if (!told.empty())
            place::keep_for_channel(place_, turn_.id, "Waits for a person\n\n" + told);
    });
    append_transcript(told);
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

void Record::keep_plan(const chat::Plan& plan) {
    turn_.plan = plan.empty() ? "" : chat::to_json(plan);
    emit(chat::PlanUpdate{plan});
}

void Record::deliver_inbox() {
    if (waiting(false).empty()) return;
    commit([&] { insert_inbox_messages(waiting(false), false); });
}

}  // namespace chorus::turn
