#include "agent/profile_text.hpp"

namespace chorus::agent {

policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home) {
    if (permissions.custom) return *permissions.custom;
    const auto found = home.profiles.find(permissions.name);
    if (found != home.profiles.end() && !policy::Profile::preset(permissions.name))
        return found->second;
    policy::ProfileText preset;
    preset.base = permissions.name;
    return preset;
}

}  // namespace chorus::agent
