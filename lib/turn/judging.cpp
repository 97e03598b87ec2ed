// What becomes of a call before anything runs: the part of Calls that decides.
#include "agent/profile_text.hpp"
#include "base/text.hpp"
#include "policy/narrowing.hpp"
#include "policy/strictest.hpp"
#include "store/records.hpp"
#include "tools/question.hpp"
#include "turn/calls.hpp"

namespace chorus::turn {
namespace {

using policy::Verdict;

std::string unknown_tool(const std::string& name) {
    std::vector<std::string> names;
    for (const tools::Tool& tool : tools::registry()) names.emplace_back(tool.name);
    return "there is no tool " + base::quoted(name) + "; the tools are " + base::quoted_list(names);
}

}  // namespace

policy::Surroundings shell_surroundings(const sys::Sandbox& sandbox, const std::string& problem) {
    return {sandbox.mode == sys::SandboxMode::workspace && problem.empty()};
}

void Calls::prepare_sandbox() {
    if (sandbox_tested_) return;
    sandbox_tested_ = true;
    workplace_.sandbox_problem =
        sys::sandbox_problem(workplace_.sandbox, surroundings_.home.sandbox_state());
    if (!workplace_.sandbox_problem.empty())
        surroundings_.warn("no command can be run: " + workplace_.sandbox_problem);
}

Judged Calls::judge(const chat::ToolCall& call) {
    Judged judged;
    judged.decided.call = call;
    judged.decided.tool = call.name;
    judged.arguments = tools::Arguments::parse(call.arguments);
    judged.tool = tools::find_tool(call.name);
    if (judged.tool == nullptr) {
        judged.decided.refusal = {unknown_tool(call.name), true};
        return judged;
    }
    std::string problem = tools::check_arguments(*judged.tool, judged.arguments);
    if (problem.empty() && judged.is_question())
        problem = tools::question_problem(judged.arguments);
    if (problem.empty())
        problem = profile_problem(judged.tool->name, judged.arguments, place_.home_configuration);
    if (!problem.empty()) {
        judged.decided.refusal = {problem, true};
        return judged;
    }
    apply_policy(judged);
    return judged;
}

policy::Decision Calls::weigh(const Judged& judged) {
    const bool is_shell = judged.tool->kind == tools::Class::command;
    if (is_shell) prepare_sandbox();
    const policy::Surroundings around =
        shell_surroundings(workplace_.sandbox, workplace_.sandbox_problem);
    if (place_.redaction.holds_active(judged.decided.call.arguments))
        return {Verdict::deny, "the arguments hold a secret that is in use"};
    policy::Decision decision =
        policy::strictest(rules_.rights->profiles,
                          {std::string(judged.tool->family),
                           tools::action(*judged.tool, judged.arguments, workplace_), is_shell},
                          around);
    if (decision.verdict != Verdict::deny) guard_rights(judged, decision);
    return decision;
}

Widening Calls::widening() const {
    return {surroundings_.home, surroundings_.environment, place_.home_configuration,
            place_.agent,       record_.turn().actor,      record_.turn().id};
}

// More rights are a person's to give, whatever the profile says; and only to an agent that works
// for nobody who may not give them: whoever joins a turn through the inbox brings no role into it.
void Calls::guard_rights(const Judged& judged, policy::Decision& decision) const {
    const auto wanted = wanted_profile(judged.tool->name, judged.arguments);
    if (!wanted || policy::narrows(rules_.rights->own,
                                   agent::profile_text(*wanted, place_.home_configuration)))
        return;
    std::vector<std::string> actors = store::senders(place_.store, record_.turn().id);
    actors.push_back(record_.turn().actor);
    std::string problem;
    for (const std::string& actor : actors)
        if (problem.empty()) problem = grant_problem(widening(), person_of(actor), wanted->name);
    if (!problem.empty())
        decision = {Verdict::deny, problem};
    else if (decision.verdict == Verdict::allow)
        decision = {Verdict::ask, "more rights are a person's to give"};
}

Binding Calls::bind(const Judged& judged) const {
    return bind_call(*judged.tool, judged.arguments, workplace_.root, workplace_.directory,
                     rules_.rights->fingerprint);
}

// What the profile of this moment says, and what people have said about the call.
void Calls::apply_policy(Judged& judged) {
    const policy::Decision decision = weigh(judged);
    judged.decided.action =
        place_.redaction.apply(tools::action(*judged.tool, judged.arguments, workplace_));
    judged.decided.detail = "Profile: " + rules_.rights->name + ": " + decision.reason;
    if (decision.verdict == Verdict::deny) return deny(judged, judged.decided.detail);
    judged.asks = decision.verdict == Verdict::ask || judged.is_question();
    if (judged.asks) judged.binding = bind(judged);
    if (!judged.asks) allow(judged, "allow", judged.decided.detail);
    questions_.heed(judged, decision.verdict);
    note_denied(judged);
}

void Calls::deny(Judged& judged, const std::string& reason) {
    refuse(judged, "deny", reason);
    note_denied(judged);
}

void Calls::note_denied(const Judged& judged) {
    if (judged.decided.outcome.empty()) return;
    denied_.push_back({judged.decided.action, judged.decided.detail});
}

}  // namespace chorus::turn
