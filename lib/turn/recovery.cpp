#include "turn/recovery.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/agents.hpp"
#include "store/ledger.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "store/tasks.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "task/kept_plants.hpp"
#include "tools/tool.hpp"
#include "turn/messaging.hpp"
#include "turn/notice.hpp"
#include "turn/remains.hpp"

namespace chorus::turn {
namespace {

using store::TurnState;

bool may_be_repeated(const std::string& name) {
    const tools::Tool* tool = tools::find_tool(name);
    return tool != nullptr && (tool->kind == tools::Class::read || is_repeated(tool->kind));
}

// Returns what is known of the sub-agent that the call created; "" if it created none.
std::string told_of_sub_agent(store::Store& store, const store::ToolRun& run) {
    const auto child = store::find_child_of_call(store, run.turn_id, run.tool_call_id);
    if (!child) return {};
    const std::string id = "its sub-agent " + child->name;
    if (child->status == store::AgentStatus::destroyed) return id + " was destroyed";
    const auto turn = store::newest_turn(store, child->id, 1);
    if (!turn) return id + " has not begun";
    if (sys::is_alive({turn->pid, turn->pid_start}))
        return id + " is still at work, and what it does stands";
    if (turn->state != TurnState::idle)
        return id + " has ended without an answer, and what it did stands";
    const auto messages = store::load_turn_messages(store, turn->id);
    return id + " has ended, and what it did stands. It said:\n" +
           (messages.empty() ? "" : messages.back().content);
}

CallOutcome outcome_of(const Unfinished& unfinished) {
    if (unfinished.may_run && unfinished.trace.what.empty()) return CallOutcome::interrupted;
    return unfinished.trace.effect == tools::Effect::done ? CallOutcome::ok : CallOutcome::unknown;
}

std::string text_of(CallOutcome outcome, const tools::Trace& trace) {
    if (outcome == CallOutcome::ok)
        return "done: the process died before the call could answer, but " + trace.what;
    if (outcome == CallOutcome::interrupted)
        return "interrupted: the call was not run; nothing was changed by it";
    const std::string more = trace.what.empty() ? "" : "; " + trace.what;
    if (outcome == CallOutcome::cancelled)
        return "cancelled: the turn was given up before the call ran" + more;
    if (outcome == CallOutcome::expired && more.empty()) return "denied: nobody decided it in time";
    if (!more.empty())
        return "unknown: the turn was cut short before the call had its result" + more;
    return "unknown: the process died while this ran. It may have taken effect, in part or whole; "
           "it was not run again. Check before repeating it";
}

tools::Trace trace_of(place::Place& place, const Unfinished& unfinished,
                      const std::optional<sys::Root>& root, const sys::Root& own) {
    if (unfinished.run.intent_at == 0) return {};
    const store::ToolRun& run = unfinished.run;
    if (const auto task = store::find_task_of_call(place.store, run.turn_id, run.tool_call_id))
        return {tools::Effect::done, task->id + " was started in the background"};
    if (run.tool == "spawn_agent")
        return {tools::Effect::unclear, told_of_sub_agent(place.store, run)};
    // a message is one row
    if (run.tool == "send_to_agent")
        return store::has_inbox_key(place.store, message_key(run.turn_id, run.tool_call_id))
                   ? tools::Trace{tools::Effect::done, "the message was left"}
                   : tools::Trace{tools::Effect::absent, {}};
    try {
        if (tools::is_of_own_file(run.evidence)) return tools::find_effect(run.evidence, own);
        return root ? tools::find_effect(run.evidence, *root) : tools::Trace{};
    } catch (const base::Error&) {
        return {};  // a repository that cannot be opened gives no trace
    }
}

// Returns whether the answer's calls changed nothing; a command that began counts as a change.
bool changed_nothing(const chat::Message& answer, const std::vector<store::ToolRun>& runs) {
    return std::all_of(answer.tool_calls.begin(), answer.tool_calls.end(), [&](const auto& call) {
        const auto run = std::find_if(runs.begin(), runs.end(), [&](const store::ToolRun& one) {
            return one.tool_call_id == call.id;
        });
        const auto outcome = run == runs.end() ? std::nullopt : call_outcomes.find(run->outcome);
        if (!outcome || outcome == CallOutcome::ok || outcome == CallOutcome::unknown) return false;
        const tools::Tool* tool = tools::find_tool(run->tool);
        return run->intent_at == 0 ||
               (tool != nullptr && tool->kind != tools::Class::command &&
                tool->kind != tools::Class::agent && tool->kind != tools::Class::repository);
    });
}

}  // namespace

std::optional<std::string> stored_chain(place::Place& place, const store::Turn& turn) {
    if (store::is_fresh(turn)) return std::nullopt;
    std::string chain = store::newest_prefix_hash(place.store, place.agent.id, place.thread.id);
    if (chain.empty()) return std::nullopt;
    return chain;
}

void write_exit(store::Store& store, store::Turn& turn, const std::string& reason) {
    const base::TimeMs now = sys::now_ms();
    enter(store, turn, TurnState::exited, reason);
    turn.reason = reason;
    turn.pid = 0;
    turn.pid_start = 0;
    turn.ended_at = now;
    turn.usage = store::settle_reserved(store, turn.id);
    store::update_turn(store, turn);
    store::count_turn(store, turn, now);
}

LastTurn take_over(place::Place& place) {
    // an open turn is the newest one: none begins beside it
    auto turn = store::newest_turn(place.store, place.agent.id, place.thread.id);
    // we hold the thread's lock: the process of its call is gone
    if (turn)
        place.left_plants =
            alert_of_killed(place.surroundings, place.store, place.redaction, place.agent, *turn);
    // a process that decided its prompt may have been killed while writing agent.json
    if (turn && turn->state == TurnState::prompt) sys::remove_temporaries(place.directory.path());
    if (!turn || turn->pid == 0) return {std::move(turn), false};
    // we hold the thread's lock, so the turn's process is gone, whatever runs under that pid now
    if (turn->state == TurnState::prompt || turn->state == TurnState::parked) {
        // it asked at a terminal, or slept; from now on it waits like a turn without a process
        turn->pid = 0;
        turn->pid_start = 0;
        store::Transaction transaction(place.store);
        store::update_turn(place.store, *turn);
        transaction.commit();
        return {std::move(turn), false};
    }
    remove_remains(place.surroundings, place.store, place.redaction, place.agent, *turn);
    store::Transaction transaction(place.store);
    write_exit(place.store, *turn, "crashed");
    transaction.commit();
    return {std::move(turn), true};
}

LastTurn take_over_unless_idle(place::Place& place) {
    if (!store::newest_turn_is_idle(place.store, place.agent.id, place.thread.id))
        return take_over(place);
    // a process that could not record an alert left the file
    alert_of_killed(place.surroundings, place.store, place.redaction, place.agent, place.thread.id);
    return {};
}

std::vector<Unfinished> unfinished_calls(place::Place& place, const store::Turn& turn) {
    if (turn.state == TurnState::idle) return {};
    std::vector<Unfinished> open;
    const auto messages = store::load_turn_messages(place.store, turn.id);
    // a result would come after what was restored, separated from its call
    if (messages.empty() ||
        store::is_restored_after(place.store, turn.agent_id, turn.thread_id, messages.back().id))
        return open;
    const auto runs = store::load_tool_runs(place.store, turn.id);
    for (const chat::Message& message : messages)
        for (const chat::ToolCall& call : message.tool_calls) {
            const auto run =
                std::find_if(runs.begin(), runs.end(), [&](const store::ToolRun& candidate) {
                    return candidate.tool_call_id == call.id && candidate.finished_at == 0;
                });
            if (run != runs.end()) open.push_back({call, *run, {}, false});
        }
    if (open.empty()) return open;
    const auto root = place::root_of(place.store, place.surroundings.home, place.agent, turn);
    const sys::Root own(place.directory.path());
    for (Unfinished& one : open) {
        one.trace = trace_of(place, one, root, own);
        one.may_run = one.run.intent_at == 0 || may_be_repeated(one.run.tool) ||
                      one.trace.effect == tools::Effect::absent;
        if (!one.may_run) one.plants = place.left_plants;
    }
    return open;
}

void settle_calls(Record& record, const std::vector<Unfinished>& calls,
                  std::optional<CallOutcome> outcome_for_all) {
    if (calls.empty()) return;
    std::vector<Judged> judged;
    for (const Unfinished& unfinished : calls) {
        Judged& call = judged.emplace_back(Judged{unfinished.call});
        const std::string note = unfinished.plants.empty()
                                     ? ""
                                     : "\n[" + unfinished.plants + "; the audit log records it]";
        call.action = unfinished.run.action;
        call.decision = unfinished.run.decision;
        call.audited = true;
        call.evidence = unfinished.run.evidence;
        call.started_at = unfinished.run.intent_at;
        call.outcome = outcome_for_all.value_or(outcome_of(unfinished));
        call.result = {text_of(call.outcome, unfinished.trace) + note,
                       call.outcome != CallOutcome::ok};
    }
    record.advance(all_of(judged));
}

std::vector<Unfinished> settle_unfinished(place::Place& place, const store::Turn& turn,
                                          std::optional<CallOutcome> outcome_for_all) {
    const auto calls = unfinished_calls(place, turn);
    if (calls.empty()) return calls;
    Record record(place, turn, stored_chain(place, turn));
    settle_calls(record, calls, outcome_for_all);
    return calls;
}

std::string describe(const std::vector<Unfinished>& calls) {
    std::vector<std::string> parts;
    const auto add = [&](CallOutcome outcome, const char* word) {
        const auto number = std::count_if(calls.begin(), calls.end(), [&](const Unfinished& one) {
            return outcome_of(one) == outcome;
        });
        if (number > 0) parts.push_back(std::to_string(number) + " " + word);
    };
    add(CallOutcome::ok, "done");
    add(CallOutcome::interrupted, "not begun");
    add(CallOutcome::unknown, "unknown");
    return parts.empty() ? std::string() : "; its calls: " + base::join(parts, ", ");
}

void drop_failed_tail(place::Place& place, const store::Turn& turn) {
    const auto messages = store::load_turn_messages(place.store, turn.id);
    const auto runs = store::load_tool_runs(place.store, turn.id);
    std::int64_t first_dropped = 0;
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        if (message->role == chat::Role::tool_result) continue;
        if (message->role == chat::Role::user || !changed_nothing(*message, runs)) break;
        first_dropped = message->id;
    }
    if (first_dropped == 0) return;
    store::Transaction transaction(place.store);
    store::drop_messages(place.store, turn.id, first_dropped);
    transaction.commit();
}

void mend_transcript(place::Place& place) {
    append_missing(place.store, place.thread, transcript_of(place), place.redaction);
}

}  // namespace chorus::turn
