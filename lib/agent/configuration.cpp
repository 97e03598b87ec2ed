#include "agent/configuration.hpp"

#include "agent/channel.hpp"
#include "agent/kept_numbers.hpp"
#include "agent/own_places.hpp"
#include "agent/preset.hpp"
#include "agent/reading.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "sys/file.hpp"
#include "sys/named_file.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

// The value is not shown: anyone who knows a webhook's URL can post.
void check_channel(const std::string& value, std::string_view what, const std::string& key) {
    const std::string problem = channel_problem(value);
    if (problem.empty()) return;
    throw Error(ErrorCode::config_invalid, std::string(what) + ": " + key + ": " + problem,
                channel_hint);
}

bool is_profile(KeyType type) {
    return type == KeyType::permissions || type == KeyType::profile;
}

// Types with a fixed set of members: a misspelt limit would silently have no effect.
bool is_closed(KeyType type) {
    return type == KeyType::budget || type == KeyType::model_options || type == KeyType::limits ||
           type == KeyType::programs || is_profile(type);
}

[[noreturn]] void refuse_member(std::string_view what, const std::string& key,
                                const std::string& name, KeyType type) {
    std::vector<std::string> known;
    for (const Member& member : members(type)) known.emplace_back(member.name);
    throw Error(ErrorCode::config_invalid,
                std::string(what) + ": " + key + "." + base::visible(name, base::Newlines::escape) +
                    (is_profile(type) ? ": no such list" : ": no such member") + "; there are " +
                    base::quoted_list(known));
}

// Returns the file's object after checking the type of every known key.
Json checked_object(std::string_view text, std::string_view what, File file) {
    const Json object = chat::parse_json(text, what, chat::DuplicateKeys::refuse,
                                         base::limits::config_bytes, ErrorCode::config_invalid);
    if (!object.is_object()) refuse(what, "the whole file", "an object", object);
    for (const auto& [name, value] : object.items()) {
        const Key* key = find_key(name);
        if (key != nullptr && belongs(*key, file))
            check_value(value, type_in(*key, file), what, name);
    }
    return object;
}

// Returns the keys of the object that do not belong to that file.
std::vector<std::string> unread_keys(const Json& object, File file) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) {
        const Key* key = find_key(name);
        if ((key == nullptr || !belongs(*key, file)) && !value.is_null()) names.push_back(name);
    }
    return names;
}

// The following require a checked object. A member that is absent or null leaves the value as it
// is.

template <typename T>
void take(const Json& object, const char* key, T& value) {
    if (const Json* found = find(object, key)) value = found->get<T>();
}

template <typename T>
void take(const Json& object, const char* key, std::optional<T>& value) {
    if (const Json* found = find(object, key)) value = found->get<T>();
}

template <typename T>
void take_ms(const Json& object, const char* key, T& value) {
    if (const Json* found = find(object, key)) value = milliseconds(*found);
}

void take_sandbox(const Json& object, std::optional<sys::SandboxMode>& value) {
    if (const Json* found = find(object, "sandbox"))
        value = sys::sandbox_modes.find(found->get<std::string>())
                    .value_or(sys::SandboxMode::workspace);
}

// Returns an empty object for an absent one.
const Json& object_in(const Json& object, const char* key) {
    static const Json none = Json::object();
    const Json* found = find(object, key);
    return found != nullptr ? *found : none;
}

std::vector<policy::Rule> read_rules(const Json& profile, const char* list, const std::string& what,
                                     const std::string& key) {
    std::vector<policy::Rule> rules;
    const Json* value = find(profile, list);
    if (value == nullptr) return rules;
    const std::string place = key + "." + list;
    for (std::size_t i = 0; i < value->size(); ++i) {
        const Json& item = (*value)[i];
        const Json* pattern = item.is_object() ? find(item, "pattern") : &item;
        if (pattern == nullptr || !pattern->is_string())
            refuse(what, place + "[" + std::to_string(i) + "]",
                   R"(a pattern or {"pattern": …, "shell": true})", item);
        const Json* shell = item.is_object() ? find(item, "shell") : nullptr;
        if (shell != nullptr && !shell->is_boolean())
            refuse(what, place + "[" + std::to_string(i) + "].shell", expected(KeyType::boolean),
                   *shell);
        rules.push_back({pattern->get<std::string>(), shell != nullptr && shell->get<bool>()});
    }
    return rules;
}

// Also checks the form of the patterns.
Permissions read_permissions(const Json& value, const std::string& what, const std::string& key) {
    Permissions permissions;
    permissions.json = chat::dump(value);
    if (value.is_string()) {
        permissions.name = value.get<std::string>();
        return permissions;
    }
    policy::ProfileText text;
    take(value, "base", text.base);
    text.deny = read_rules(value, "deny", what, key);
    text.allow = read_rules(value, "allow", what, key);
    text.ask = read_rules(value, "ask", what, key);
    take(value, "match", text.match);
    take(value, "not_match", text.not_match);
    permissions.name = "custom";
    permissions.custom = std::move(text);
    return permissions;
}

Budget read_budget(const Json& object) {
    Budget budget;
    take(object, "tokens_per_turn", budget.tokens_per_turn);
    take(object, "tokens_per_day", budget.tokens_per_day);
    const auto take_usd = [&](const char* key, std::optional<base::MicroUsd>& amount) {
        std::optional<double> usd;
        take(object, key, usd);
        if (usd) amount = base::micro_usd(*usd);
    };
    take_usd("usd_per_turn", budget.usd_per_turn);
    take_usd("usd_per_day", budget.usd_per_day);
    return budget;
}

ModelOptions read_model_options(const Json& object) {
    ModelOptions options;
    take(object, "effort", options.effort);
    take(object, "max_tokens", options.max_tokens);
    take(object, "temperature", options.temperature);
    return options;
}

Shared read_shared(const Json& object) {
    Shared shared;
    take_ms(object, "rolling_window", shared.rolling_window_ms);
    take_ms(object, "idle_timeout", shared.idle_timeout_ms);
    take(object, "max_iterations", shared.max_iterations);
    take(object, "max_messages", shared.max_messages);
    take(object, "context_tokens", shared.context_tokens);
    take(object, "parallel_tools", shared.parallel_tools);
    take(object, "max_subagents", shared.max_subagents);
    take(object, "auto_compact", shared.auto_compact);
    take_sandbox(object, shared.sandbox);
    take(object, "environment", shared.environment);
    shared.budget = read_budget(object_in(object, "budget"));
    take(object, "fallback_model", shared.fallback_model);
    shared.model_options = read_model_options(object_in(object, "model_options"));
    return shared;
}

std::map<std::string, std::string> texts_in(const Json& object, const char* key) {
    std::map<std::string, std::string> texts;
    for (const auto& [name, text] : object_in(object, key).items())
        if (text.is_string()) texts[name] = text.get<std::string>();  // null: absent
    return texts;
}

HomeConfiguration::ProviderSettings read_provider(const Json& object) {
    HomeConfiguration::ProviderSettings settings;
    take(object, "base_url", settings.base_url);
    take(object, "api_version", settings.api_version);
    take(object, "key_header", settings.key_header);
    settings.headers = texts_in(object, "headers");
    settings.query = texts_in(object, "query");
    take(object, "max_output_tokens", settings.max_output_tokens);
    take_ms(object, "first_byte", settings.first_byte_ms);
    take_ms(object, "stall", settings.stall_ms);
    return settings;
}

Limits read_limits(const Json& object, const std::string& what) {
    Limits limits;
    if (const Json* permissions = find(object, "permissions"))
        limits.permissions = read_permissions(*permissions, what, "limits.permissions");
    take_sandbox(object, limits.sandbox);
    limits.budget = read_budget(object_in(object, "budget"));
    take(object, "environment", limits.environment);
    if (const Json* mib = find(object, "checkpoint_mib"))
        limits.checkpoint_bytes = mib->get<std::int64_t>() << 20U;
    take(object, "private_webhooks", limits.private_webhooks);
    take_ms(object, "first_byte", limits.first_byte_ms);
    take_ms(object, "stall", limits.stall_ms);
    return limits;
}

void take_name_lists(const Json& object, const char* key,
                     std::map<std::string, std::vector<std::string>>& lists) {
    for (const auto& [name, names] : object_in(object, key).items()) {
        if (names.is_string()) lists[name] = {names.get<std::string>()};
        if (names.is_array()) lists[name] = names.get<std::vector<std::string>>();
    }
}

std::optional<std::string> read_if_there(const std::string& path) {
    return sys::read_settings_file(path, base::limits::config_bytes);
}

}  // namespace

void refuse(std::string_view what, const std::string& key, std::string_view wanted,
            const Json& found) {
    throw Error(ErrorCode::config_invalid,
                std::string(what) + ": " + base::visible(key, base::Newlines::escape) +
                    ": expected " + std::string(wanted) + ", found " +
                    base::visible(std::string(base::utf8_prefix(chat::dump(found), 60)),
                                  base::Newlines::escape));
}

void check_value(const Json& value, KeyType type, std::string_view what, const std::string& key) {
    if (value.is_null()) return;
    if (!fits(value, type)) refuse(what, key, expected(type), value);
    if (type == KeyType::channel) check_channel(value.get_ref<const std::string&>(), what, key);
    if (!value.is_object() || members(type).empty()) return;
    for (const auto& [name, inner] : value.items()) {
        const Member* member = find_member(type, name);
        if (member == nullptr && is_closed(type)) refuse_member(what, key, name, type);
        if (member == nullptr || member->type == KeyType::any) continue;
        check_value(inner, member->type, what, key + "." + name);
    }
}

const Json* find(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

Permissions parse_permissions(std::string_view json, std::string_view what) {
    const Json value = chat::parse_json(json, what, chat::DuplicateKeys::refuse,
                                        base::limits::config_bytes, ErrorCode::config_invalid);
    if (value.is_null()) refuse(what, "permissions", expected(KeyType::permissions), value);
    check_value(value, KeyType::permissions, what, "permissions");
    return read_permissions(value, std::string(what), "permissions");
}

Permissions named_permissions(std::string_view given, std::string_view option) {
    if (!given.starts_with('@')) return parse_permissions(chat::quoted(given), option);
    const std::string path(given.substr(1));
    return parse_permissions(sys::read_input_file(path, base::limits::config_bytes),
                             sys::input_name(path));
}

Configuration parse_configuration(std::string_view text, std::string_view what) {
    const Json object = checked_object(text, what, File::agent);
    Configuration configuration;
    configuration.text = text;
    configuration.trust_part = trust_part_of(object);
    take(object, "model", configuration.model);
    take(object, "system_prompt", configuration.system_prompt);
    take(object, "description", configuration.description);
    take(object, "channel_id", configuration.channel_id);
    if (const Json* value = find(object, "permissions"))
        configuration.permissions = read_permissions(*value, std::string(what), "permissions");
    configuration.shared = read_shared(object);
    configuration.unread = unread_keys(object, File::agent);
    return configuration;
}

HomeConfiguration parse_home_configuration(std::string_view text, std::string_view file) {
    const std::string what(file);
    const Json object = checked_object(text, what, File::home);
    HomeConfiguration home;
    home.unread = unread_keys(object, File::home);
    take(object, "default_model", home.default_model);
    if (const Json* value = find(object, "default_permissions"))
        home.default_permissions = read_permissions(*value, what, "default_permissions");
    for (const auto& [name, profile] : object_in(object, "permissions").items())
        if (!profile.is_null())
            home.profiles[name] = *read_permissions(profile, what, "permissions." + name).custom;
    for (const auto& [name, settings] : object_in(object, "providers").items())
        home.providers[name] = read_provider(settings);
    take_ms(object, "max_bash_timeout", home.max_bash_timeout_ms);
    take(object, "max_retries", home.max_retries);
    take_ms(object, "prompt_ttl", home.prompt_ttl_ms);
    take(object, "profile_mode", home.profile_mode);
    take_ms(object, "rotate_cooldown", home.rotate_cooldown_ms);
    take(object, "rotate_max_per_hour", home.rotate_max_per_hour);
    take(object, "sandbox_read", home.sandbox_read);
    take(object_in(object, "programs"), "bwrap", home.bwrap);
    take(object_in(object, "programs"), "bash", home.bash);
    take(object, "allow_network_fs", home.allow_network_fs);
    home.limits = read_limits(object_in(object, "limits"), what);
    take_name_lists(object, "permission_grants", home.permission_grants);
    take_name_lists(object, "roles", home.roles);
    take(object, "audit_sink", home.audit_sink);
    home.shared = read_shared(object);
    return home;
}

std::string configuration_text(const Directory& directory) {
    auto text = read_if_there(directory.configuration());
    if (!text)
        throw Error(ErrorCode::config_invalid, directory.configuration() + ": no such file",
                    "the agent's configuration was removed; restore it or destroy the agent");
    return std::move(*text);
}

Configuration load_configuration(const Directory& directory) {
    if (directory.is_of_sub_agent()) {
        std::string text = configuration_text(directory);
        Configuration configuration =
            configuration_of(parse_preset(text, directory.configuration()));
        configuration.text = std::move(text);
        return configuration;
    }
    return parse_configuration(configuration_text(directory), directory.configuration());
}

std::string configuration_text(const Home& home) {
    return read_if_there(home.config()).value_or("{}");
}

std::string models_text(const Home& home) {
    return read_if_there(home.models()).value_or("");
}

std::string available_models_text(const Home& home) {
    return sys::read_settings_file(home.available_models(), base::limits::json_bytes).value_or("");
}

HomeConfiguration load_home_configuration(const Home& home) {
    const auto text = read_if_there(home.config());
    if (!text) return {};
    HomeConfiguration read = parse_home_configuration(*text, home.config());
    check_audit_sink(read, home);
    return read;
}

sys::SandboxMode sandbox_in_force(const Configuration& agent, const HomeConfiguration& home) {
    const auto own = agent.shared.sandbox ? agent.shared.sandbox : home.shared.sandbox;
    const auto wanted = own.value_or(sys::SandboxMode::workspace);
    return home.limits.sandbox ? sys::strictest(wanted, *home.limits.sandbox) : wanted;
}

void check_audit_sink(const HomeConfiguration& configuration, const Home& home) {
    const std::string& sink = configuration.audit_sink;
    if (!sink.starts_with('/')) return;
    const bool is_inside = is_in_home(home, sink);
    if (!is_inside && !sys::is_directory(sink)) return;
    throw Error(ErrorCode::config_invalid,
                home.config() + ": audit_sink: " + base::quoted(sink) +
                    (is_inside ? " is inside the home" : " is a directory"),
                "chorus-config set audit_sink FILE, with a FILE outside of " + home.path() +
                    ", or chorus-config unset audit_sink");
}

policy::Profile resolve_profile(const Permissions& permissions, const HomeConfiguration& home,
                                std::string_view what, std::string_view key) {
    const std::string place = std::string(what) + ": " + std::string(key);
    if (permissions.custom)
        return policy::Profile::compile(*permissions.custom, place, permissions.name);
    if (auto preset = policy::Profile::preset(permissions.name)) return std::move(*preset);
    const auto found = home.profiles.find(permissions.name);
    if (found != home.profiles.end())
        return policy::Profile::compile(found->second, "config.json: permissions." + found->first,
                                        found->first);
    std::vector<std::string> names = policy::Profile::preset_names();
    for (const auto& [name, ignored] : home.profiles) names.push_back(name);
    throw Error(ErrorCode::config_invalid, place + ": no profile " + base::quoted(permissions.name),
                permissions.name.starts_with('{') ? "a profile as JSON is read from a file: @FILE"
                                                  : "there are " + base::quoted_list(names));
}

policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home) {
    if (permissions.custom) return *permissions.custom;
    const auto found = home.profiles.find(permissions.name);
    if (found != home.profiles.end() && !policy::Profile::preset(permissions.name))
        return found->second;
    policy::ProfileText preset;
    preset.base = permissions.name;
    return preset;
}

void check_profiles(const HomeConfiguration& home, std::string_view file) {
    const std::string what(file);
    for (const auto& [name, profile] : home.profiles) {
        if (policy::Profile::preset(name))
            throw Error(ErrorCode::config_invalid,
                        what + ": permissions." + name + ": a preset has that name",
                        "choose another name; a preset cannot be redefined");
        (void)policy::Profile::compile(profile, what + ": permissions." + name);
    }
    (void)resolve_profile(home.default_permissions, home, what, "default_permissions");
    if (home.limits.permissions)
        (void)resolve_profile(*home.limits.permissions, home, what, "limits.permissions");
    for (const auto& [role, profiles] : home.permission_grants)
        for (const std::string& profile : profiles)
            if (profile != "*" && profile != "custom")
                (void)resolve_profile({profile, {}, {}}, home, what, "permission_grants." + role);
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
