#include "turn/explain.hpp"

#include <algorithm>

#include "agent/configuration.hpp"
#include "approval/approval.hpp"
#include "turn/calls.hpp"
#include "turn/live.hpp"

namespace chorus::turn {

Explanation explain(const ExplainOptions& options, const place::Surroundings& surroundings) {
    place::TurnOptions turn;
    turn.agent = options.agent;
    turn.permissions = options.permissions;
    place::Place place = place::open_place(turn, surroundings);
    if (options.permissions)
        (void)agent::resolve_profile(*options.permissions, place.home_configuration, "--profile");
    place::Loaded loaded = place::load(place);
    const tools::Workplace workplace = make_workplace(place, loaded.settings);
    const approval::Proposed call =
        approval::proposed(options.action, workplace, place.home_configuration);
    Explanation explanation;
    if (options.permissions)
        loaded.rights.own = agent::profile_text(*options.permissions, place.home_configuration);
    explanation.is_shell = call.action.is_shell;
    policy::ShellConfinement around;
    if (call.action.is_shell) {
        explanation.sandbox = sys::name(workplace.sandbox.mode);
        const auto problem =
            sys::sandbox_problem(workplace.sandbox, surroundings.home.sandbox_state());
        explanation.sandbox_problem = problem ? problem->message() : "";
        around = shell_surroundings(workplace.sandbox, problem);
    }
    explanation.decision = approval::decide_call(
        call, {loaded.rights, place.redaction, place.home_configuration, {place.actor()}, around});
    const std::string& by = explanation.decision.profile;
    explanation.profile = by.empty() ? loaded.rights.name : by;
    const auto& profiles = loaded.rights.profiles;
    const auto decides = std::find_if(
        profiles.begin(), profiles.end(),
        [&](const policy::Profile& profile) { return profile.name() == explanation.profile; });
    explanation.reading =
        (decides == profiles.end() ? profiles.front() : *decides).read(call.action, around);
    return explanation;
}

}  // namespace chorus::turn
