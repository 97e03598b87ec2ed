// Several profiles at once: a chain of sub-agents, a caller and its limits. Every one is evaluated.
#pragma once

#include <span>
#include <string_view>

#include "policy/profile.hpp"

namespace chorus::policy {

// Deny before ask before allow; of equals the first one's, reason and all. Without a profile:
// denied.
Decision strictest(std::span<const Profile> profiles, const Action& action,
                   const Surroundings& surroundings);
bool any_hides(std::span<const Profile> profiles, std::string_view action_prefix);

}  // namespace chorus::policy
