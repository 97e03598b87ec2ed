#pragma once

#include <string>

#include "policy/profile.hpp"

namespace chorus::policy {

inline Verdict shell_verdict(const Profile& profile, const std::string& command) {
    return profile.decide(parse_action("tool:bash:" + command), {}).verdict;
}

}  // namespace chorus::policy
