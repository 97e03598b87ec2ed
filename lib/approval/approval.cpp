#include "approval/approval.hpp"

#include <algorithm>

#include "agent/configuration.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "life/trust.hpp"
#include "place/in_force.hpp"
#include "policy/grants.hpp"
#include "policy/profile.hpp"

namespace chorus::approval {
namespace {

using policy::Verdict;

// Returns the names that may follow "tool:".
std::vector<std::string> families() {
    std::vector<std::string> names;
    for (const tools::Tool& tool : tools::registry()) names.emplace_back(tool.family);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// In a family of several tools the detail begins with the end of the tool's name: "tool:git:log x"
// belongs to git_log.
const tools::Tool* find_maker(std::string_view family, std::string_view detail) {
    const auto& all = tools::registry();
    const auto is_of = [&](const tools::Tool& tool) { return tool.family == family; };
    if (std::count_if(all.begin(), all.end(), is_of) == 1)
        return &*std::find_if(all.begin(), all.end(), is_of);
    return tools::find_tool(std::string(family) + "_" +
                            std::string(detail.substr(0, detail.find_first_of(" :"))));
}

// Returns the action of a call with that argument; in a self-edit the argument follows a colon.
std::string as_called(const tools::Tool& tool, const std::string& action, const std::string& detail,
                      const tools::Workplace& workplace) {
    const std::string_view name = tool.name == "self_edit_model" ? "new_model" : "path";
    const auto is_named = [&](const tools::Parameter& parameter) { return parameter.name == name; };
    if (std::none_of(tool.parameters.begin(), tool.parameters.end(), is_named) ||
        base::find_invalid_utf8(detail))
        return action;
    const std::size_t begin = tool.family == "self_edit" ? detail.find(':') + 1 : 0;
    const std::string json =
        chat::JsonText().begin_object().key(name).string(detail.substr(begin)).end_object().take();
    return tools::action(tool, tools::Arguments::parse(json), workplace);
}

void put_profile(Proposed& call, const agent::Permissions& wanted,
                 const agent::HomeConfiguration& home) {
    call.profile = wanted.name;
    call.rights = agent::profile_text(wanted, home);
}

// Widening permissions needs a person's approval, whatever the profile says. It is denied if anyone
// the agent works for may not grant it: this includes people whose messages joined the turn through
// the inbox.
void guard_rights(const Proposed& call, const Moment& moment, policy::Decision& decision) {
    if (call.profile.empty() || (call.rights && policy::narrows(moment.rights.own, *call.rights)))
        return;
    std::string problem;
    for (const std::string& actor : moment.actors)
        if (problem.empty())
            problem =
                life::grant_problem(moment.configuration, place::person_of(actor), call.profile);
    if (!problem.empty())
        decision = {Verdict::deny, problem};
    else if (decision.verdict == Verdict::allow)
        decision = {Verdict::ask, "widening permissions needs a person's approval"};
}

}  // namespace

Proposed proposed(const tools::Tool& tool, const std::string& action,
                  const tools::Arguments& arguments, const agent::HomeConfiguration& home) {
    Proposed call{{std::string(tool.family), action, tool.kind == tools::Class::command}};
    call.is_question = tool.kind == tools::Class::question;
    if (const auto wanted = place::wanted_profile(tool.name, arguments))
        put_profile(call, *wanted, home);
    return call;
}

Proposed proposed(const std::string& action, const tools::Workplace& workplace,
                  const agent::HomeConfiguration& home) {
    const auto known = families();
    const auto refuse = [&](const std::string& why) {
        return base::Error(base::ErrorCode::bad_request,
                           "action " + base::quoted(action) + ": " + why,
                           "write tool:TOOL:DETAIL, as in 'tool:bash:git push'; the tools are " +
                               base::quoted_list(known));
    };
    Proposed call{policy::parse_action(action)};
    const std::string head = "tool:" + call.action.tool + ":";
    if (!action.starts_with(head)) throw refuse("not an action");
    if (!std::binary_search(known.begin(), known.end(), call.action.tool))
        throw refuse("there is no tool " + base::quoted(call.action.tool));
    const std::string detail = action.substr(head.size());
    const tools::Tool* tool = find_maker(call.action.tool, detail);
    if (tool == nullptr)
        throw refuse("no tool of " + base::quoted(call.action.tool) + " does that");
    call.action = policy::parse_action(as_called(*tool, action, detail, workplace));
    call.text = action;
    call.is_question = tool->kind == tools::Class::question;
    constexpr std::string_view permissions = "permissions:";
    if (tool->name != "self_edit_permissions" || !detail.starts_with(permissions)) return call;
    call.profile = detail.substr(permissions.size());
    if (call.profile == "custom") return call;
    const auto wanted = agent::parse_permissions(chat::quoted(call.profile), "action");
    (void)agent::resolve_profile(wanted, home, "action");
    put_profile(call, wanted, home);
    return call;
}

policy::Decision decide_call(const Proposed& call, const Moment& moment) {
    if (moment.secrets.holds_active(call.text))
        return {Verdict::deny, "the arguments contain a secret that is in use"};
    policy::Decision decision =
        policy::strictest(moment.rights.profiles, call.action, moment.shell);
    if (decision.verdict == Verdict::deny) return decision;
    guard_rights(call, moment, decision);
    if (decision.verdict == Verdict::allow && call.is_question)
        decision = {Verdict::ask, "a question needs a person's answer"};
    return decision;
}

}  // namespace chorus::approval
