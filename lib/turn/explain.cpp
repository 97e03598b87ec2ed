#include "turn/explain.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "policy/strictest.hpp"
#include "turn/calls.hpp"
#include "turn/live.hpp"

namespace chorus::turn {
namespace {

// What may stand behind "tool:".
std::vector<std::string> families() {
    std::vector<std::string> names;
    for (const tools::Tool& tool : tools::registry()) names.emplace_back(tool.family);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

policy::Action parse_known(const std::string& text) {
    const auto known = families();
    const auto refuse = [&](const std::string& why) {
        return base::Error(base::ErrorCode::bad_request,
                           "action " + base::quoted(text) + ": " + why,
                           "write tool:TOOL:DETAIL, as in 'tool:bash:git push'; the tools are " +
                               base::quoted_list(known));
    };
    const policy::Action action = policy::parse_action(text);
    if (!text.starts_with("tool:" + action.tool + ":")) throw refuse("not an action");
    if (!std::binary_search(known.begin(), known.end(), action.tool))
        throw refuse("there is no tool " + base::quoted(action.tool));
    return action;
}

void try_sandbox(const Place& place, const Settings& settings, const Surroundings& surroundings,
                 Explanation& explanation, policy::Surroundings& around) {
    const sys::Sandbox sandbox =
        command_sandbox(place.home_configuration, settings.sandbox, place.root.path(),
                        place.directory, place.agent.name, surroundings.environment);
    explanation.sandbox = sys::name(sandbox.mode);
    explanation.sandbox_problem = sys::sandbox_problem(sandbox, surroundings.home.sandbox_state());
    around = shell_surroundings(sandbox, explanation.sandbox_problem);
}

}  // namespace

Explanation explain(const ExplainOptions& options, const Surroundings& surroundings) {
    const policy::Action action = parse_known(options.action);
    TurnOptions turn;
    turn.agent = options.agent;
    Place place = open_place(turn, surroundings, Hold::nothing);
    Loaded loaded = load(place, turn, surroundings);
    Explanation explanation;
    explanation.profile = loaded.configuration.permissions.name;
    if (options.permissions) {
        explanation.profile = options.permissions->name;
        loaded.rights.profiles.clear();
        loaded.rights.profiles.push_back(
            agent::resolve_profile(*options.permissions, place.home_configuration, "--profile"));
    }
    explanation.is_shell = action.is_shell;
    policy::Surroundings around;
    if (action.is_shell) try_sandbox(place, loaded.settings, surroundings, explanation, around);
    explanation.decision = policy::strictest(loaded.rights.profiles, action, around);
    explanation.reading = loaded.rights.profiles.front().read(action, around);
    return explanation;
}

}  // namespace chorus::turn
