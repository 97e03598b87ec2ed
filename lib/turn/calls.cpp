#include "turn/calls.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "approval/trust_prompt.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"

namespace chorus::turn {
namespace {

using policy::Verdict;

chat::ToolResult refused(std::string text) {
    return {std::move(text), true};
}

CallOutcome outcome_of(const Record::Finished& finished) {
    if (finished.outcome == "ok") return CallOutcome::ok;
    return finished.call->outcome.empty() ? CallOutcome::failure : CallOutcome::neutral;
}

}  // namespace

Calls::Calls(place::Place& place, Record& record, tools::Workplace& workplace,
             const place::Surroundings& surroundings, std::vector<chat::TurnResult::Denied>& denied)
    : place_(place),
      record_(record),
      workplace_(workplace),
      surroundings_(surroundings),
      denied_(denied),
      questions_(place, record, surroundings,
                 [this](const Judged& judged) { return bind(judged); }),
      checkpoint_(place, surroundings) {}

void Calls::emit(const chat::Event& event) const {
    surroundings_.on_event(event, {place_.agent.name, place_.thread.id, record_.turn().id});
}

void Calls::ask_terminal(Judged& judged) {
    if (!judged.asks || rules_.stopping()) return;
    const place::PersonAnswer reply = questions_.ask(judged, rules_.prompt_ttl_ms);
    note_denied(judged);
    if (reply.what != place::PersonAnswer::What::always) return;
    const std::string before = rules_.rights->fingerprint;
    const std::string problem =
        place_.redaction.changes(judged.decided.action)
            ? "the action contains a secret"
            : approval::grant_problem(widening(), sys::invoking_person(surroundings_.environment),
                                      "custom");
    if (!problem.empty())
        return surroundings_.warn("always: " + problem + "; it is approved this once");
    approval::allow_always(place_.store, widening(),
                           [&] { return std::vector<std::string>{judged.decided.action}; });
    rules_.renew();
    // the same person approved the other calls of the answer, so these approvals stay valid
    for (Judged& other : judged_)
        if (other.approved && other.approved->profile == before)
            other.approved->profile = rules_.rights->fingerprint;
    for (Judged& other : judged_)
        if (other.asks && !other.is_question() && other.decided.action == judged.decided.action)
            questions_.allow_equal(other);
}

// Returns true if the turn need not wait for this call.
bool Calls::answer_for_nobody(Judged& judged) {
    if (rules_.on_ask == place::OnAsk::deny) {
        refuse(judged, "ask_denied", "approval needed, and --on-ask is deny");
    } else if (rules_.on_ask == place::OnAsk::suspend &&
               place_.redaction.changes(judged.decided.call.arguments)) {
        // the question is stored without secrets, and would differ from the call it asks about
        deny(judged, "a pending question would store a secret");
        return true;
    } else {
        return false;
    }
    note_denied(judged);
    return true;
}

// The turn ends. Every call gets a result, so that providers still accept the conversation.
void Calls::fail_all() {
    for (Judged& judged : judged_) {
        if (judged.done) continue;
        if (judged.asks) {
            refuse(judged, "ask_denied", "approval needed, and --on-ask is fail");
            note_denied(judged);
        } else if (judged.decided.runs) {
            judged.decided.runs = false;
            judged.decided.decision.clear();
            judged.decided.outcome = "interrupted";
            judged.decided.refusal = refused("not run: another call of this answer was denied");
        }
    }
    std::vector<Record::Finished> results;
    for (const Judged& judged : judged_)
        if (!judged.done) results.push_back(finished(judged, judged.decided.refusal, 0));
    record_.finish(results, {});
}

Decided Calls::settle_open() {
    bool open = false;
    for (Judged& judged : judged_) open = (judged.asks && !answer_for_nobody(judged)) || open;
    // --resume asks a question again that a signal interrupted
    if (!open || rules_.stopping()) return Decided::all;
    if (rules_.on_ask == place::OnAsk::fail) {
        fail_all();
        return Decided::failed;
    }
    prompts_ = questions_.suspend(judged_, rules_.prompt_ttl_ms);
    return Decided::suspended;
}

Decided Calls::decide(const std::vector<chat::ToolCall>& calls) {
    judged_.clear();
    prompts_.clear();
    for (const chat::ToolCall& call : calls) {
        judged_.push_back(judge(call));
        chat::ToolCall shown = call;
        shown.arguments = place_.redaction.apply(call.arguments);
        emit(chat::CallEvent{std::move(shown), judged_.back().decided.action});
    }
    for (Judged& judged : judged_) ask_terminal(judged);
    return settle_open();
}

bool Calls::side_by_side() const {
    const auto reads = [](const Judged& judged) {
        return judged.decided.runs && judged.decided.decision == "allow" &&
               judged.tool->kind == tools::Class::read;
    };
    return judged_.size() > 1 && rules_.parallel_tools > 1 &&
           std::all_of(judged_.begin(), judged_.end(), reads);
}

// Whatever a tool throws becomes a result that the model can react to.
chat::ToolResult Calls::at_the_border(const Judged& judged,
                                      const std::function<chat::ToolResult()>& use) const {
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
    std::string& detail = judged.decided.detail;
    detail = (judged.decided.audited ? "" : detail + "; ") + place_.redaction.apply(edit);
    judged.decided.audited = false;
}

// Called right before the call starts, since the evidence includes what earlier calls changed. A
// call that cannot work is refused here and never begins.
void Calls::plan(Judged& judged) {
    if (judged.answer) {
        judged.apply = [text = *judged.answer]() -> chat::ToolResult { return {text, false}; };
        return;
    }
    workplace_.call_id = judged.decided.call.id;
    const chat::ToolResult refusal = at_the_border(judged, [&]() -> chat::ToolResult {
        tools::Planned planned = tools::plan(*judged.tool, judged.arguments, workplace_);
        if (auto* result = std::get_if<chat::ToolResult>(&planned)) return std::move(*result);
        tools::Plan& plan = std::get<tools::Plan>(planned);
        judged.decided.evidence = std::move(plan.evidence);
        judged.decided.change = std::move(plan.change);
        judged.decided.change.patch = place_.redaction.apply(judged.decided.change.patch);
        note_edit(judged, plan.audit);
        judged.apply = std::move(plan.apply);
        return {};
    });
    if (judged.apply && checkpoint_.before(*judged.tool, record_.turn(), rules_.stopping)) return;
    judged.decided.runs = false;
    judged.decided.refusal = judged.apply ? refused("not run: the turn is being ended") : refusal;
    judged.apply = {};
}

chat::ToolResult Calls::execute(Judged& judged) const {
    // released when done: it holds what the next call may need
    const auto apply = std::exchange(judged.apply, {});
    chat::ToolResult result = at_the_border(judged, apply);
    if (judged.tool->name == "self_edit_permissions" && !result.is_error)
        approval::trust_permissions(place_,
                                    *place::wanted_profile(judged.tool->name, judged.arguments));
    return result;
}

Record::Finished Calls::finished(const Judged& judged, chat::ToolResult result,
                                 base::TimeMs started_at) {
    const std::string outcome = !judged.decided.outcome.empty() ? judged.decided.outcome
                                : result.is_error               ? "error"
                                                                : "ok";
    result.text = place_.redaction.apply(base::replace_invalid_utf8(result.text));
    emit(chat::CallComplete{judged.decided.call.id, judged.decided.tool, judged.decided.action,
                            outcome, result.text, started_at == 0 ? 0 : sys::now_ms() - started_at,
                            outcome == "ok" ? judged.decided.change : chat::Change{}});
    return {&judged.decided, std::move(result), outcome, started_at};
}

Ran Calls::run() {
    if (rules_.stopping()) return {};
    return side_by_side() ? run_side_by_side() : run_in_order();
}

// Called right before the call begins: since the decision, the profile may have changed, or the
// files that an approval is valid for. An earlier call of the same answer may have changed them
// too.
void Calls::look_again(Judged& judged) {
    rules_.renew();
    const policy::Decision decision = weigh(judged);
    if (decision.verdict == Verdict::deny)
        return deny(judged, "Profile: " + rules_.rights->name + ": " + decision.reason);
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
    if (judged.decided.runs) plan(judged);
    record_.decide({judged.decided},
                   judged.decided.runs ? std::vector<std::size_t>{0} : std::vector<std::size_t>{});
    judged.decided.audited = true;
    return how;
}

// A configuration that can no longer be read ends the turn, but only after the finished call is
// recorded.
std::optional<base::Error> Calls::prepare(Judged& judged) {
    if (!judged.decided.runs) return std::nullopt;
    try {
        look_again(judged);
    } catch (const base::Error& error) {
        judged.decided.runs = false;
        return error;
    }
    if (judged.decided.runs) plan(judged);
    return std::nullopt;
}

Ran Calls::run_in_order() {
    Judged& front = judged_.front();
    if (front.approved) look_again(front);
    if (front.decided.runs) plan(front);
    std::vector<DecidedCall> all;
    for (const Judged& judged : judged_) all.push_back(judged.decided);
    std::vector<std::size_t> first;
    if (front.decided.runs) first.push_back(0);
    record_.decide(all, first);
    for (Judged& judged : judged_) judged.decided.audited = true;

    Ran ran;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        Judged& judged = judged_[i];
        if (judged.asks) ran.how = settle_again(judged);
        if (ran.how != Decided::all || judged.asks) break;
        const base::TimeMs started_at = judged.decided.runs ? sys::now_ms() : 0;
        const auto done = finished(
            judged, judged.decided.runs ? execute(judged) : judged.decided.refusal, started_at);
        judged.done = true;
        // calls that have not begun are left for --resume
        const bool goes_on = i + 1 < judged_.size() && !rules_.stopping();
        std::optional<base::Error> problem;
        if (goes_on) problem = prepare(judged_[i + 1]);
        std::vector<const DecidedCall*> next;
        if (goes_on && judged_[i + 1].decided.runs) next.push_back(&judged_[i + 1].decided);
        record_.finish({done}, next);
        if (!next.empty()) judged_[i + 1].decided.audited = true;
        ran.outcomes.push_back(outcome_of(done));
        if (problem) throw base::Error(*problem);
        if (!goes_on) break;
    }
    return ran;
}

Ran Calls::run_side_by_side() {
    std::vector<DecidedCall> all;
    std::vector<std::size_t> every;
    for (Judged& judged : judged_) {
        plan(judged);
        every.push_back(all.size());
        all.push_back(judged.decided);
    }
    record_.decide(all, every);
    for (Judged& judged : judged_) judged.decided.audited = true;
    const base::TimeMs started_at = sys::now_ms();
    std::vector<chat::ToolResult> results(judged_.size());
    const auto width = static_cast<std::size_t>(rules_.parallel_tools);
    for (std::size_t start = 0; start < judged_.size(); start += width) {
        std::vector<std::future<chat::ToolResult>> running;
        const std::size_t end = std::min(judged_.size(), start + width);
        // if no thread can be started, the call runs in get()
        for (std::size_t i = start; i < end; ++i)
            running.push_back(std::async(std::launch::async | std::launch::deferred,
                                         [this, i] { return execute(judged_[i]); }));
        for (std::size_t i = start; i < end; ++i) results[i] = running[i - start].get();
    }
    std::vector<Record::Finished> done;
    Ran ran;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        done.push_back(finished(judged_[i], std::move(results[i]), started_at));
        ran.outcomes.push_back(outcome_of(done.back()));
    }
    record_.finish(done, {});
    return ran;
}

}  // namespace chorus::turn
