#include "policy/strictest.hpp"

#include <algorithm>

namespace chorus::policy {

Decision strictest(std::span<const Profile> profiles, const Action& action,
                   const Surroundings& surroundings) {
    if (profiles.empty()) return {Verdict::deny, "there is no profile"};
    Decision strictest = profiles.front().decide(action, surroundings);
    for (const Profile& profile : profiles.subspan(1)) {
        Decision decision = profile.decide(action, surroundings);
        if (decision.verdict > strictest.verdict) strictest = std::move(decision);
    }
    return strictest;
}

bool any_hides(std::span<const Profile> profiles, std::string_view action_prefix) {
    return std::any_of(profiles.begin(), profiles.end(),
                       [&](const Profile& profile) { return profile.hides(action_prefix); });
}

}  // namespace chorus::policy
