#include "turn/calls.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
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
    return finished.outcome == "denied" ? CallOutcome::neutral : CallOutcome::failure;
}

std::string unknown_tool(const std::string& name) {
    std::vector<std::string> names;
    for (const tools::Tool& tool : tools::registry()) names.emplace_back(tool.name);
    return "there is no tool '" + base::visible(name, base::Newlines::escape) +
           "'; the tools are " + base::quoted_list(names);
}

}  // namespace

policy::Surroundings shell_surroundings(const sys::Sandbox& sandbox, const std::string& problem) {
    return {sandbox.mode == sys::SandboxMode::workspace && problem.empty()};
}

Calls::Calls(Place& place, Record& record, tools::Workplace& workplace,
             const Surroundings& surroundings, std::vector<chat::TurnResult::Denied>& denied)
    : place_(place),
      record_(record),
      workplace_(workplace),
      surroundings_(surroundings),
      denied_(denied) {}

void Calls::emit(const chat::Event& event) const {
    surroundings_.on_event(event, {place_.agent.name, place_.thread.id, record_.turn().id});
}

void Calls::prepare_sandbox() {
    if (sandbox_tested_) return;
    sandbox_tested_ = true;
    workplace_.sandbox_problem =
        sys::sandbox_problem(workplace_.sandbox, surroundings_.home.sandbox_state());
    if (!workplace_.sandbox_problem.empty())
        surroundings_.warn("no command can be run: " + workplace_.sandbox_problem);
}

Calls::Judged Calls::judge(const chat::ToolCall& call) {
    Judged judged;
    judged.decided.call = call;
    judged.decided.tool = call.name;
    judged.arguments = tools::Arguments::parse(call.arguments);
    judged.tool = tools::find_tool(call.name);
    if (judged.tool == nullptr) {
        judged.decided.refusal = refused(unknown_tool(call.name));
        return judged;
    }
    const std::string problem = tools::check_arguments(*judged.tool, judged.arguments);
    if (!problem.empty()) {
        judged.decided.refusal = refused(problem);
        return judged;
    }
    const bool is_shell = judged.tool->kind == tools::Class::command;
    if (is_shell) prepare_sandbox();
    judged.decided.action = tools::action(*judged.tool, judged.arguments, workplace_);
    policy::Decision decision =
        rules_.profile->decide({std::string(judged.tool->family), judged.decided.action, is_shell},
                               shell_surroundings(workplace_.sandbox, workplace_.sandbox_problem));
    if (place_.redaction.holds_active(call.arguments))
        decision = {Verdict::deny, "the arguments hold a secret that is in use"};
    judged.decided.action = place_.redaction.apply(judged.decided.action);
    judged.decided.detail = "Profile: " + rules_.profile->name() + ": " + decision.reason;
    judged.asks = decision.verdict == Verdict::ask;
    judged.decided.runs = decision.verdict == Verdict::allow;
    if (decision.verdict == Verdict::allow) judged.decided.decision = "allow";
    if (decision.verdict == Verdict::deny) deny(judged, judged.decided.detail);
    return judged;
}

void Calls::deny(Judged& judged, const std::string& reason) {
    judged.asks = false;
    judged.decided.runs = false;
    judged.decided.decision = "deny";
    judged.decided.detail = reason;
    judged.decided.refusal = refused("denied: " + reason);
    denied_.push_back({judged.decided.action, reason});
}

store::Prompt Calls::prompt_row(const Judged& judged, base::TimeMs now) const {
    store::Prompt prompt;
    prompt.id = base::random_short_id(8);
    prompt.agent_id = place_.agent.id;
    prompt.turn_id = record_.turn().id;
    prompt.kind = "permission";
    prompt.tool_call_id = judged.decided.call.id;
    prompt.action = judged.decided.action;
    prompt.tool = judged.decided.tool;
    prompt.arguments = judged.decided.call.arguments;
    prompt.arguments_hash =
        base::sha256_hex(judged.decided.tool + '\0' + judged.arguments.canonical());
    prompt.text = judged.decided.detail;
    prompt.created_at = now;
    prompt.expires_at = now + rules_.prompt_ttl_ms;
    return prompt;
}

void Calls::ask_terminal(Judged& judged) {
    const store::Prompt row = prompt_row(judged, sys::now_ms());
    const Reply reply =
        surroundings_.ask({row.id, row.kind, row.action, row.tool, row.arguments, row.text, 0});
    if (reply == Reply::nobody) return;
    judged.asks = false;
    judged.decided.runs = reply == Reply::yes;
    judged.decided.decision = reply == Reply::yes ? "ask_approved" : "ask_denied";
    judged.decided.detail = reply == Reply::yes ? "User approved at the terminal" : "User denied";
    if (reply == Reply::no) {
        judged.decided.refusal = refused("denied: the user denied this call");
        denied_.push_back({judged.decided.action, judged.decided.detail});
    }
}

void Calls::suspend() {
    std::vector<store::Prompt> rows;
    std::vector<DecidedCall> decided;
    for (const Judged& judged : judged_) {
        decided.push_back(judged.decided);
        if (!judged.asks) continue;
        rows.push_back(prompt_row(judged, sys::now_ms()));
        const store::Prompt& row = rows.back();
        prompts_.push_back(
            {row.id, row.kind, row.action, row.tool, row.arguments, row.text, row.expires_at});
    }
    record_.suspend(rows, decided);
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
    for (Judged& judged : judged_) {
        if (judged.asks && surroundings_.ask && !rules_.stopping()) ask_terminal(judged);
        // the question would be stored, and not be the call it asks about
        if (judged.asks && place_.redaction.changes(judged.decided.call.arguments))
            deny(judged, "a question that waits would hold a secret");
    }
    const bool open =
        std::any_of(judged_.begin(), judged_.end(), [](const Judged& j) { return j.asks; });
    // a question that a signal broke off is asked again by --resume
    if (!open || rules_.stopping()) return Decided::all;
    suspend();
    return Decided::suspended;
}

bool Calls::side_by_side() const {
    const auto reads = [](const Judged& judged) {
        return judged.decided.runs && judged.decided.decision == "allow" &&
               judged.tool->kind == tools::Class::read;
    };
    return judged_.size() > 1 && rules_.settings->parallel_tools > 1 &&
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

// Right before it starts: what an earlier call changes is part of the evidence. A call that cannot
// work is refused here and never begins.
void Calls::plan(Judged& judged) {
    const chat::ToolResult refusal = at_the_border(judged, [&]() -> chat::ToolResult {
        tools::Planned planned = tools::plan(*judged.tool, judged.arguments, workplace_);
        if (auto* result = std::get_if<chat::ToolResult>(&planned)) return std::move(*result);
        tools::Plan& plan = std::get<tools::Plan>(planned);
        judged.decided.evidence = std::move(plan.evidence);
        judged.apply = std::move(plan.apply);
        return {};
    });
    if (judged.apply) return;
    judged.decided.runs = false;
    judged.decided.refusal = refusal;
}

chat::ToolResult Calls::execute(Judged& judged) const {
    // dropped when done: it holds what the next call may need
    const auto apply = std::exchange(judged.apply, {});
    return at_the_border(judged, apply);
}

Record::Finished Calls::finished(const Judged& judged, chat::ToolResult result,
                                 base::TimeMs started_at) {
    const std::string outcome =
        judged.decided.decision == "deny" || judged.decided.decision == "ask_denied" ? "denied"
        : result.is_error                                                            ? "error"
                                                                                     : "ok";
    result.text = place_.redaction.apply(base::replace_invalid_utf8(result.text));
    emit(chat::CallComplete{judged.decided.call.id, judged.decided.tool, outcome, result.text,
                            started_at == 0 ? 0 : sys::now_ms() - started_at});
    return {&judged.decided, std::move(result), outcome, started_at};
}

std::vector<CallOutcome> Calls::run() {
    if (rules_.stopping()) return {};
    return side_by_side() ? run_side_by_side() : run_in_order();
}

std::vector<CallOutcome> Calls::run_in_order() {
    if (judged_.front().decided.runs) plan(judged_.front());
    std::vector<DecidedCall> all;
    for (const Judged& judged : judged_) all.push_back(judged.decided);
    std::vector<std::size_t> first;
    if (judged_.front().decided.runs) first.push_back(0);
    record_.decide(all, first);

    std::vector<CallOutcome> outcomes;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        Judged& judged = judged_[i];
        const base::TimeMs started_at = judged.decided.runs ? sys::now_ms() : 0;
        const auto done = finished(
            judged, judged.decided.runs ? execute(judged) : judged.decided.refusal, started_at);
        std::vector<const DecidedCall*> next;
        // what has not begun is left for --resume
        const bool goes_on = i + 1 < judged_.size() && !rules_.stopping();
        if (goes_on && judged_[i + 1].decided.runs) plan(judged_[i + 1]);
        if (goes_on && judged_[i + 1].decided.runs) next.push_back(&judged_[i + 1].decided);
        record_.finish({done}, next);
        outcomes.push_back(outcome_of(done));
        if (!goes_on) break;
    }
    return outcomes;
}

std::vector<CallOutcome> Calls::run_side_by_side() {
    std::vector<DecidedCall> all;
    std::vector<std::size_t> every;
    for (Judged& judged : judged_) {
        plan(judged);
        every.push_back(all.size());
        all.push_back(judged.decided);
    }
    record_.decide(all, every);
    const base::TimeMs started_at = sys::now_ms();
    std::vector<chat::ToolResult> results(judged_.size());
    const auto width = static_cast<std::size_t>(rules_.settings->parallel_tools);
    for (std::size_t start = 0; start < judged_.size(); start += width) {
        std::vector<std::future<chat::ToolResult>> running;
        const std::size_t end = std::min(judged_.size(), start + width);
        // where no thread is to be had, it is done when it is asked for
        for (std::size_t i = start; i < end; ++i)
            running.push_back(std::async(std::launch::async | std::launch::deferred,
                                         [this, i] { return execute(judged_[i]); }));
        for (std::size_t i = start; i < end; ++i) results[i] = running[i - start].get();
    }
    std::vector<Record::Finished> done;
    std::vector<CallOutcome> outcomes;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
        done.push_back(finished(judged_[i], std::move(results[i]), started_at));
        outcomes.push_back(outcome_of(done.back()));
    }
    record_.finish(done, {});
    return outcomes;
}

}  // namespace chorus::turn
