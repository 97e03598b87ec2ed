// The part of Calls that decides about calls before anything runs.
#include "approval/approval.hpp"
#include "base/text.hpp"
#include "store/records.hpp"
#include "tools/result.hpp"
#include "tools/user_question.hpp"
#include "turn/calls.hpp"

namespace chorus::turn {

policy::ShellConfinement shell_surroundings(const sys::Sandbox& sandbox,
                                            const std::optional<base::Error>& problem) {
    return {sys::keeps_in_workspace(sandbox.mode) && !problem};
}

void Calls::prepare_sandbox() {
    if (sandbox_tested_) return;
    sandbox_tested_ = true;
    workplace_.sandbox_problem =
        sys::sandbox_problem(workplace_.sandbox, place_.surroundings.home.sandbox_state());
    if (const auto& problem = workplace_.sandbox_problem)
        place_.surroundings.warn("no command can be run: " + problem->message() +
                                 (problem->hint().empty() ? "" : "; " + problem->hint()));
}

bool Calls::is_hidden(const tools::Tool& tool) const {
    return policy::any_hides(rules_.loaded.rights.profiles, tools::action_prefix(tool));
}

std::string Calls::unknown_tool(const std::string& name) const {
    std::vector<std::string> names;
    for (const tools::Tool& tool : tools::registry())
        if (!is_hidden(tool)) names.emplace_back(tool.name);
    return "there is no tool " + base::quoted(name) +
           (names.empty() ? "" : "; the tools are " + base::quoted_list(names));
}

Judged Calls::judge(const chat::ToolCall& call) {
    Judged judged{call, tools::find_tool(call.name), tools::Arguments::parse(call.arguments)};
    if (judged.tool == nullptr) {
        judged.result = {unknown_tool(call.name), true};
        return judged;
    }
    std::string problem = tools::check_arguments(*judged.tool, judged.parsed);
    if (problem.empty() && judged.is_question()) problem = tools::question_problem(judged.parsed);
    if (problem.empty())
        problem =
            place::profile_problem(judged.tool->name, judged.parsed, place_.home_configuration);
    if (problem.empty()) {
        apply_policy(judged);
    } else if (is_hidden(*judged.tool)) {
        judged.action = tools::action_prefix(*judged.tool);
        judged.detail = detail_of({policy::Verdict::deny, "no call of it is allowed"});
        deny(judged, judged.detail);
    } else {
        judged.result = {problem, true};
    }
    return judged;
}

policy::Decision Calls::weigh(const Judged& judged) {
    if (judged.tool->kind == tools::Class::command) prepare_sandbox();
    std::vector<std::string> actors = store::senders(place_.store, record_.turn().id);
    actors.push_back(record_.turn().actor);
    approval::Proposed call =
        approval::proposed(*judged.tool, tools::action(*judged.tool, judged.parsed, workplace_),
                           judged.parsed, place_.home_configuration);
    call.text = judged.parsed.canonical() + judged.arguments;
    return approval::decide_call(
        call, {rules_.loaded.rights, place_.redaction, place_.home_configuration, std::move(actors),
               shell_surroundings(workplace_.sandbox, workplace_.sandbox_problem)});
}

std::string Calls::detail_of(const policy::Decision& decision) const {
    const std::string& by = decision.profile.empty() ? rules_.loaded.rights.name : decision.profile;
    return "Profile: " + by + ": " + decision.reason;
}

approval::Binding Calls::bind(const Judged& judged) const {
    return approval::bind_call(*judged.tool, judged.parsed, workplace_.root, workplace_.directory,
                               rules_.loaded.rights.fingerprint());
}

// Applies the present profile and people's decisions about the call.
void Calls::apply_policy(Judged& judged) {
    const policy::Decision decision = weigh(judged);
    judged.action = place_.redaction.apply(tools::action(*judged.tool, judged.parsed, workplace_));
    judged.detail = detail_of(decision);
    if (decision.verdict == policy::Verdict::deny) return deny(judged, judged.detail);
    judged.asks = decision.verdict == policy::Verdict::ask || judged.is_question();
    if (judged.asks) judged.binding = bind(judged);
    if (!judged.asks) allow(judged, "allow", judged.detail);
    questions_.heed(judged, decision.verdict);
    refuse_futile_question(judged);
    note_denied(judged);
}

// Refuses a command that would fail in any case, instead of asking about it.
void Calls::refuse_futile_question(Judged& judged) const {
    const bool is_command = judged.tool->kind == tools::Class::command;
    if (!is_command || !judged.asks || judged.row || !workplace_.sandbox_problem) return;
    judged.asks = false;
    judged.result = tools::no_command(*workplace_.sandbox_problem);
}

void Calls::deny(Judged& judged, const std::string& reason, const char* decision) {
    refuse(judged, decision, reason);
    note_denied(judged);
}

void Calls::note_denied(const Judged& judged) {
    if (judged.outcome == CallOutcome::none) return;
    denied_.push_back({judged.action, judged.detail});
}

}  // namespace chorus::turn
