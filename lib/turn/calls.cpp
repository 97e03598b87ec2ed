#include "turn/calls.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "approval/widening.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "life/trust.hpp"
#include "sys/clock.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {
namespace {

using policy::Verdict;

chat::ToolResult refused(std::string text) {
    return {std::move(text), true};
}

}  // namespace

Calls::Calls(place::Place& place, Record& record, tools::Workplace& workplace, Rules rules,
             std::vector<chat::TurnResult::Denied>& denied)
    : place_(place),
      record_(record),
      workplace_(workplace),
      rules_(std::move(rules)),
      denied_(denied),
      questions_(place, record, [this](const Judged& judged) { return bind(judged); }),
      checkpoint_(place) {}

void Calls::ask_terminal(Judged& judged) {
    if (!judged.asks || rules_.stopping()) return;
    const place::PersonAnswer reply = questions_.ask(judged);
    note_denied(judged);
    if (reply.what != place::PersonAnswer::What::always) return;
    const std::string before = rules_.loaded.rights.fingerprint();
    std::string problem =
        place_.redaction.changes(judged.action) ? "the action contains a secret"
        : place_.directory.is_of_sub_agent()
            ? "the permissions of a sub-agent are those of its preset"
            : life::grant_problem(place_.home_configuration,
                                  sys::invoking_person(place_.surroundings.environment), "custom");
    if (problem.empty()) problem = approval::no_rule_for(judged.action);
    if (!problem.empty())
        return place_.surroundings.warn("always: " + problem + "; it is approved this once");
    const store::Turn& turn = record_.turn();
    approval::allow_always(place_.store,
                           {place_.surroundings.home, place_.surroundings.environment, place_.agent,
                            turn.actor, turn.id},
                           [&] { return std::vector<std::string>{judged.action}; });
    rules_.renew();
    // the same person approved the other calls of the answer, so these approvals stay valid
    for (Judged& other : judged_)
        if (other.approved && other.approved->profile == before)
            other.approved->profile = rules_.loaded.rights.fingerprint();
    for (Judged& other : judged_)
        if (other.asks && !other.is_question() && other.action == judged.action)
            questions_.allow_equal(other);
}

void Calls::answer_for_nobody(Judged& judged) {
    const place::OnAsk on_ask = place_.options.on_ask;
    if (on_ask == place::OnAsk::deny)
        deny(judged, "approval needed, and --on-ask is deny", "ask_denied");
    // the question is stored without secrets, and would differ from the call it asks about
    if (on_ask == place::OnAsk::suspend && place_.redaction.changes(judged.arguments))
        deny(judged, "a pending question would store a secret");
}

// The turn ends. Every call gets a result, so that providers still accept the conversation.
void Calls::fail_all() {
    for (Judged& judged : judged_) {
        if (judged.done) continue;
        if (judged.asks) {
            deny(judged, "approval needed, and --on-ask is fail", "ask_denied");
        } else if (judged.runs) {
            judged.runs = false;
            judged.decision.clear();
            judged.outcome = CallOutcome::interrupted;
            judged.result = refused("not run: another call of this answer was denied");
        }
    }
    std::vector<Judged*> ended;
    for (Judged& judged : judged_) {
        if (judged.done) continue;
        end(judged, judged.result);
        ended.push_back(&judged);
    }
    record_.advance(ended);
}

Decided Calls::settle_open() {
    for (Judged& judged : judged_)
        if (judged.asks) answer_for_nobody(judged);
    const bool open = std::any_of(judged_.begin(), judged_.end(),
                                  [](const Judged& judged) { return judged.asks; });
    // --resume asks a question again that a signal interrupted
    if (!open || rules_.stopping()) return Decided::all;
    if (place_.options.on_ask == place::OnAsk::fail) {
        fail_all();
        return Decided::failed;
    }
    prompts_ = questions_.suspend(judged_);
    return Decided::suspended;
}

Decided Calls::decide(const std::vector<chat::ToolCall>& calls) {
    judged_.clear();
    prompts_.clear();
    for (const chat::ToolCall& call : calls) {
        judged_.push_back(judge(call));
        chat::ToolCall shown = call;
        shown.arguments = place_.redaction.apply(call.arguments);
        record_.emit(chat::CallEvent{std::move(shown), judged_.back().action});
    }
    for (Judged& judged : judged_) ask_terminal(judged);
    return settle_open();
}

bool Calls::side_by_side() const {
    const auto reads = [](const Judged& judged) {
        return judged.runs && judged.decision == "allow" && judged.tool->kind == tools::Class::read;
    };
    const auto spawns = [](const Judged& judged) {
        return judged.runs && judged.tool->kind == tools::Class::agent;
    };
    const place::Settings& settings = rules_.loaded.settings;
    return judged_.size() > 1 &&
           ((settings.parallel_tools > 1 && std::all_of(judged_.begin(), judged_.end(), reads)) ||
            (settings.max_subagents > 1 && std::all_of(judged_.begin(), judged_.end(), spawns)));
}

// Whatever a tool throws becomes a result that the model can react to.
Calls::Outcome Calls::at_the_border(const Judged& judged,
                                    const std::function<Outcome()>& use) const {
    try {
        return use();
    } catch (const base::Error& error) {
        return refused(std::string(judged.tool->name) + ": " + error.message() +
                       (error.hint().empty() ? "" : "\n" + error.hint()));
    } catch (const std::exception& error) {
        return refused(std::string(judged.tool->name) + ": " + error.what());
    }
}

// Records the old and new value of a self-edit: in the row of the decision or, if that is already
// written, in a row of its own.
void Calls::note_edit(Judged& judged, const std::string& edit) const {
    if (edit.empty()) return;
    std::string& detail = judged.detail;
    detail = (judged.audited ? "" : detail + "; ") + place_.redaction.apply(edit);
    judged.audited = false;
}

// Called right before the call starts, since the evidence includes what earlier calls changed. A
// call that cannot work is refused here and never begins.
void Calls::plan(Judged& judged) {
    if (judged.answer) {
        judged.apply = [text = *judged.answer]() -> chat::ToolResult { return {text, false}; };
        judged.planned = true;
        return;
    }
    if (judged.tool->plan != nullptr || checkpoint_.is_due(*judged.tool, record_.turn()))
        record_.commit_kept();
    workplace_.call_id = judged.id;
    const Outcome refusal = at_the_border(judged, [&]() -> Outcome {
        tools::Planned planned = tools::plan(*judged.tool, judged.parsed, workplace_);
        if (auto* result = std::get_if<chat::ToolResult>(&planned)) return std::move(*result);
        tools::Plan& plan = std::get<tools::Plan>(planned);
        judged.evidence = std::move(plan.evidence);
        judged.change = std::move(plan.change);
        judged.change.patch = place_.redaction.apply(judged.change.patch);
        note_edit(judged, plan.audit);
        judged.apply = std::move(plan.apply);
        return chat::ToolResult{};
    });
    judged.planned =
        judged.apply && checkpoint_.before(*judged.tool, record_.turn(), rules_.stopping);
    if (judged.planned) return;
    judged.runs = false;
    judged.result = judged.apply ? refused("not run: the turn is being ended") : *refusal;
    judged.apply = {};
}

Calls::Outcome Calls::execute(Judged& judged) const {
    // released when done: it holds what the next call may need
    auto apply = std::exchange(judged.apply, {});
    Outcome result = at_the_border(judged, apply);
    if (!result) judged.apply = std::move(apply);
    if (judged.tool->name == "self_edit_permissions" && result && !result->is_error)
        approval::trust_permissions(place_,
                                    *place::wanted_profile(judged.tool->name, judged.parsed));
    return result;
}

CallOutcome Calls::end(Judged& judged, chat::ToolResult result) {
    if (judged.outcome == CallOutcome::none)
        judged.outcome = result.is_error ? CallOutcome::error : CallOutcome::ok;
    result.text = place_.redaction.apply(base::replace_invalid_utf8(result.text));
    const bool is_ok = judged.outcome == CallOutcome::ok;
    record_.emit(chat::CallComplete{judged.id, judged.name, judged.action,
                                    std::string(call_outcomes.name(judged.outcome)), result.text,
                                    judged.started_at == 0 ? 0 : sys::now_ms() - judged.started_at,
                                    is_ok ? judged.change : chat::Change{}});
    judged.result = std::move(result);
    judged.done = true;
    return judged.outcome;
}

Ran Calls::run() {
    if (rules_.stopping()) return {};
    for (Judged& judged : judged_)
        if (judged.approved && judged.tool->kind == tools::Class::agent) look_again(judged);
    return side_by_side() ? run_side_by_side() : run_in_order();
}

// Called right before the call begins: since the decision, the profile may have changed, or the
// files that an approval is valid for. An earlier call of the same answer may have changed them
// too.
void Calls::look_again(Judged& judged) {
    rules_.renew();
    const policy::Decision decision = weigh(judged);
    if (decision.verdict == Verdict::deny) return deny(judged, detail_of(decision));
    if (decision.verdict == Verdict::allow || judged.is_question()) return;
    judged.binding = bind(judged);
    if (judged.approved)
        questions_.compare(judged);
    else
        questions_.reopen(judged, "the profile has changed");
}

// Asks about a call after all, when the results of the calls before it are recorded.
Decided Calls::settle_again(Judged& judged) {
    ask_terminal(judged);
    const Decided how = settle_open();
    if (how != Decided::all || judged.asks) return how;
    if (judged.runs) plan(judged);
    record_.advance({}, {&judged});
    return how;
}

// Returns whether suspended sub-agents go on: a person is asked at the terminal, or has decided
// elsewhere while another sub-agent was at work.
bool Calls::goes_on_waiting() {
    if (rules_.stopping()) return false;
    Asked asked = asked_of(place_, record_.turn());
    // it was destroyed, or nobody decided in time
    if (asked.pending.empty() && asked.decided.empty()) asked.decided = {"nothing"};
    // a sub-agent goes on when all that it asked at once is decided
    if (!asked.decided.empty() && asked.decided != taken_up_) {
        taken_up_ = std::move(asked.decided);
        return true;
    }
    return questions_.ask_for_sub_agents();
}

// The calls that have no result wait for their sub-agents, and these for a person.
Decided Calls::wait_for_person() {
    const std::vector<store::Prompt> waiting = asked_of(place_, record_.turn()).pending;
    for (const store::Prompt& prompt : waiting) prompts_.push_back(notice_of(prompt));
    record_.suspend_for(waiting);
    return Decided::suspended;
}

// A configuration that can no longer be read ends the turn, but only after the finished call is
// recorded.
std::optional<base::Error> Calls::prepare(Judged& judged) {
    if (!judged.runs) return std::nullopt;
    try {
        look_again(judged);
    } catch (const base::Error& error) {
        judged.runs = false;
        return error;
    }
    if (judged.runs) plan(judged);
    return std::nullopt;
}

Ran Calls::run_in_order() {
    Judged& front = judged_.front();
    if (front.approved) look_again(front);
    if (front.runs) plan(front);
    record_.advance({}, all_of(judged_));

    Ran ran;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        Judged& judged = judged_[i];
        if (judged.asks) ran.how = settle_again(judged);
        if (ran.how != Decided::all || judged.asks) break;
        if (judged.runs) judged.started_at = sys::now_ms();
        Outcome result = judged.result;
        if (judged.runs) {
            do result = execute(judged);
            while (!result && goes_on_waiting());
        }
        if (!result) {
            // --resume takes up what a signal or --timeout leaves
            if (!rules_.stopping()) ran.how = wait_for_person();
            break;
        }
        ran.outcomes.push_back(end(judged, std::move(*result)));
        // calls that have not begun are left for --resume
        const bool ends_turn = judged.result.ends_turn;
        const bool goes_on = i + 1 < judged_.size() && !rules_.stopping() && !ends_turn;
        std::optional<base::Error> problem;
        std::vector<Judged*> next;
        if (goes_on) {
            problem = prepare(judged_[i + 1]);
            if (judged_[i + 1].runs) next.push_back(&judged_[i + 1]);
        }
        record_.advance({&judged}, next);
        if (problem) throw base::Error(*problem);
        if (ends_turn) {
            fail_all();
            ran.how = Decided::failed;
        }
        if (!goes_on) break;
    }
    return ran;
}

Ran Calls::run_side_by_side() {
    for (Judged& judged : judged_) plan(judged);
    record_.advance({}, all_of(judged_));
    const base::TimeMs started_at = sys::now_ms();
    std::vector<Outcome> results;
    for (Judged& judged : judged_) {
        judged.started_at = started_at;
        results.push_back(judged.runs ? Outcome() : judged.result);
    }
    do execute_side_by_side(results);
    while (std::any_of(results.begin(), results.end(), [](const Outcome& one) { return !one; }) &&
           goes_on_waiting());
    Ran ran;
    std::vector<Judged*> ended;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        if (!results[i]) continue;
        ran.outcomes.push_back(end(judged_[i], std::move(*results[i])));
        ended.push_back(&judged_[i]);
    }
    record_.advance(ended);
    if (ended.size() < judged_.size() && !rules_.stopping()) ran.how = wait_for_person();
    if (std::any_of(judged_.begin(), judged_.end(),
                    [](const Judged& judged) { return judged.result.ends_turn; }))
        ran.how = Decided::failed;
    return ran;
}

// Runs the calls that have no result yet.
void Calls::execute_side_by_side(std::vector<Outcome>& results) {
    const place::Settings& settings = rules_.loaded.settings;
    const bool spawns = judged_.front().tool->kind == tools::Class::agent;
    const auto width =
        static_cast<std::size_t>(spawns ? settings.max_subagents : settings.parallel_tools);
    for (std::size_t start = 0; start < judged_.size(); start += width) {
        std::vector<std::future<Outcome>> running;
        const std::size_t end = std::min(judged_.size(), start + width);
        // if no thread can be started, the call runs in get()
        for (std::size_t i = start; i < end; ++i)
            running.push_back(std::async(
                std::launch::async | std::launch::deferred,
                [this, i, &results] { return results[i] ? results[i] : execute(judged_[i]); }));
        for (std::size_t i = start; i < end; ++i) results[i] = running[i - start].get();
    }
}

}  // namespace chorus::turn
