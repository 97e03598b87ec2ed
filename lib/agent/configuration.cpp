#include "agent/configuration.hpp"

#include "agent/kept_numbers.hpp"
#include "agent/reading.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::agent {

using base::Error;
using base::ErrorCode;
using chat::Json;

Permissions parse_permissions(std::string_view json, std::string_view what) {
    const std::string subject(what);
    const Json value = chat::parse_json(json, what, chat::DuplicateKeys::refuse,
                                        base::limits::config_bytes, ErrorCode::config_invalid);
    if (value.is_null()) refuse(what, "permissions", expected(KeyType::permissions), value);
    check_value(value, KeyType::permissions, what, "permissions");
    return read_permissions(value, subject, "permissions");
}

Configuration parse_configuration(std::string_view text, std::string_view what) {
    const Json object = checked_object(text, what, File::agent);
    Configuration configuration;
    configuration.text = text;
    configuration.name = chat::string_or(object, "name");
    configuration.model = chat::string_or(object, "model");
    configuration.system_prompt = chat::string_or(object, "system_prompt");
    configuration.description = chat::string_or(object, "description");
    configuration.channel_id = chat::string_or(object, "channel_id");
    if (const Json* value = find(object, "permissions"))
        configuration.permissions = read_permissions(*value, std::string(what), "permissions");
    configuration.shared = read_shared(object);
    configuration.unread = unread_keys(object, File::agent);
    return configuration;
}

std::string configuration_text(const Directory& directory) {
    auto text = read_if_there(directory.configuration());
    if (!text)
        throw Error(ErrorCode::config_invalid, directory.configuration() + ": no such file",
                    "the agent's configuration was removed; restore it or destroy the agent");
    return std::move(*text);
}

Configuration load_configuration(const Directory& directory) {
    return parse_configuration(configuration_text(directory), directory.configuration());
}

sys::SandboxMode sandbox_in_force(const Configuration& agent, const HomeConfiguration& home) {
    const auto own = agent.shared.sandbox ? agent.shared.sandbox : home.shared.sandbox;
    const auto wanted = own.value_or(sys::SandboxMode::workspace);
    return home.limits.sandbox ? sys::strictest(wanted, *home.limits.sandbox) : wanted;
}

policy::Profile resolve_profile(const Permissions& permissions, const HomeConfiguration& home,
                                std::string_view what, std::string_view key) {
    const std::string place = std::string(what) + ": " + std::string(key);
    if (permissions.custom) return policy::Profile::compile(*permissions.custom, place);
    if (auto preset = policy::Profile::preset(permissions.name)) return std::move(*preset);
    const auto found = home.profiles.find(permissions.name);
    if (found != home.profiles.end())
        return policy::Profile::compile(found->second, "config.json: permissions." + found->first);
    std::vector<std::string> names = policy::Profile::preset_names();
    for (const auto& [name, ignored] : home.profiles) names.push_back(name);
    throw Error(ErrorCode::config_invalid, place + ": no profile " + base::quoted(permissions.name),
                "there are " + base::quoted_list(names));
}

std::string with_members(std::string_view text, const std::map<std::string, std::string>& members) {
    KeptNumbers numbers;
    Json object = chat::parse_json(numbers.keep(text), "agent.json");
    for (const auto& [name, value] : members)
        object[name] = chat::parse_json(numbers.keep(value), name);
    return numbers.written(object);
}

std::string with_missing_members(std::string_view text, std::string_view from) {
    (void)checked_object(text, "agent.json", File::agent);
    (void)checked_object(from, "the installed agent.json", File::agent);
    KeptNumbers numbers;
    Json object = chat::parse_json(numbers.keep(text), "agent.json");
    const Json other = chat::parse_json(numbers.keep(from), "the installed agent.json");
    for (const auto& [name, value] : other.items())
        if (!object.contains(name) || object[name].is_null()) object[name] = value;
    return numbers.written(object);
}

}  // namespace chorus::agent
