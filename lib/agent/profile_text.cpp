#include "agent/profile_text.hpp"

#include "base/limits.hpp"
#include "chat/json_text.hpp"
#include "sys/input_file.hpp"

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

Permissions named_permissions(std::string_view given, std::string_view option) {
    if (!given.starts_with('@')) return parse_permissions(chat::quoted(given), option);
    const std::string path(given.substr(1));
    return parse_permissions(sys::read_input_file(path, base::limits::config_bytes),
                             sys::input_name(path));
}

}  // namespace chorus::agent
