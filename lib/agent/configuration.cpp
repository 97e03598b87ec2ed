#include "agent/configuration.hpp"

#include <algorithm>
#include <filesystem>

#include "agent/keys.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "sys/file.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

enum class File { agent, home };

[[noreturn]] void refuse(std::string_view what, const std::string& key, std::string_view wanted,
                         const Json& found) {
    throw Error(ErrorCode::config_invalid,
                std::string(what) + ": " + key + ": expected " + std::string(wanted) + ", found " +
                    base::visible(std::string(base::utf8_prefix(chat::dump(found), 60)),
                                  base::Newlines::escape));
}

bool is_text_list(const Json& value) {
    if (!value.is_array()) return false;
    for (const Json& item : value)
        if (!item.is_string()) return false;
    return true;
}

bool is_duration(const Json& value) {
    if (value.is_string()) return base::parse_duration_ms(value.get<std::string>()).has_value();
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
           value.get<std::int64_t>() <= 1'000'000'000;
}

// Far above all that is counted here, far below where sums overflow.
bool is_count(const Json& value) {
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
           value.get<std::int64_t>() <= 1'000'000'000;
}

bool fits(const Json& value, KeyType type) {
    switch (type) {
        case KeyType::text:
            return value.is_string();
        case KeyType::text_or_null:
            return value.is_string() || value.is_null();
        case KeyType::integer:
            return is_count(value);
        case KeyType::duration:
            return is_duration(value);
        case KeyType::boolean:
            return value.is_boolean();
        case KeyType::text_list:
            return is_text_list(value);
        case KeyType::object:
            return value.is_object();
        case KeyType::array:
            return value.is_array();
        case KeyType::permissions:
            return value.is_string() || value.is_object();
        case KeyType::sandbox: {
            sys::SandboxMode mode{};
            return value.is_string() && sys::parse_sandbox_mode(value.get<std::string>(), mode);
        }
    }
    return false;
}

// A file's object with every known key of the right type; null stands for absent.
Json checked_object(std::string_view text, std::string_view what, File file) {
    const Json object = chat::parse_json(text, what, chat::DuplicateKeys::refuse,
                                         base::limits::config_bytes, ErrorCode::config_invalid);
    if (!object.is_object()) refuse(what, "the whole file", "an object", object);
    for (const auto& [name, value] : object.items()) {
        const Key* key = find_key(name);
        if (key == nullptr || value.is_null()) continue;
        if (!(file == File::agent ? key->in_agent : key->in_home)) continue;
        if (!fits(value, key->type)) refuse(what, name, expected(key->type), value);
    }
    return object;
}

const Json* find(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> integer(const Json& object, const char* key) {
    const Json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    return value->get<std::int64_t>();
}

std::optional<std::int64_t> duration_ms(const Json& object, const char* key) {
    const Json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return base::parse_duration_ms(value->get<std::string>());
    return value->get<std::int64_t>() * 1000;
}

std::vector<std::string> text_list(const Json& object, const char* key) {
    const Json* value = find(object, key);
    return value == nullptr ? std::vector<std::string>{} : value->get<std::vector<std::string>>();
}

Budget read_budget(const Json& object, std::string_view what) {
    Budget budget;
    const Json* value = find(object, "budget");
    if (value == nullptr) return budget;
    for (const auto& [name, amount] : value->items()) {
        if (name == "tokens_per_turn") {
            if (!fits(amount, KeyType::integer))
                refuse(what, "budget." + name, expected(KeyType::integer), amount);
            budget.tokens_per_turn = amount.get<std::int64_t>();
            continue;
        }
        if (!amount.is_number() || amount.get<double>() < 0)
            refuse(what, "budget." + name, "a number that is not negative", amount);
        if (name == "usd_per_turn") budget.usd_per_turn = amount.get<double>();
        if (name == "usd_per_day") budget.usd_per_day = amount.get<double>();
    }
    return budget;
}

Shared read_shared(const Json& object, std::string_view what) {
    Shared shared;
    shared.rolling_window_ms = duration_ms(object, "rolling_window");
    shared.idle_timeout_ms = duration_ms(object, "idle_timeout");
    shared.max_iterations = integer(object, "max_iterations");
    shared.max_messages = integer(object, "max_messages");
    shared.context_tokens = integer(object, "context_tokens");
    shared.parallel_tools = integer(object, "parallel_tools");
    if (const Json* value = find(object, "auto_compact")) shared.auto_compact = value->get<bool>();
    if (const Json* value = find(object, "sandbox")) {
        sys::SandboxMode mode{};
        sys::parse_sandbox_mode(value->get<std::string>(), mode);
        shared.sandbox = mode;
    }
    shared.environment = text_list(object, "environment");
    shared.budget = read_budget(object, what);
    return shared;
}

std::vector<policy::Rule> read_rules(const Json& profile, const char* list, const std::string& what,
                                     const std::string& key) {
    std::vector<policy::Rule> rules;
    const Json* value = find(profile, list);
    if (value == nullptr) return rules;
    const std::string place = key + "." + list;
    if (!value->is_array()) refuse(what, place, "a list of patterns", *value);
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

// `key`: where in the file it stands.
Permissions read_permissions(const Json& value, const std::string& what, const std::string& key) {
    Permissions permissions;
    permissions.json = chat::dump(value);
    if (value.is_string()) {
        permissions.name = value.get<std::string>();
        return permissions;
    }
    static const std::vector<std::string> known{"base", "deny",  "allow",
                                                "ask",  "match", "not_match"};
    for (const auto& [name, ignored] : value.items())
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error(ErrorCode::config_invalid, what + ": " + key + "." + name +
                                                       ": no such list; there are " +
                                                       base::quoted_list(known));
    policy::ProfileText text;
    if (const Json* base = find(value, "base"); base != nullptr && !base->is_string())
        refuse(what, key + ".base", "a preset's name", *base);
    text.base = chat::string_or(value, "base");
    text.deny = read_rules(value, "deny", what, key);
    text.allow = read_rules(value, "allow", what, key);
    text.ask = read_rules(value, "ask", what, key);
    for (const char* list : {"match", "not_match"}) {
        const Json* examples = find(value, list);
        if (examples != nullptr && !is_text_list(*examples))
            refuse(what, key + "." + list, "a list of strings", *examples);
    }
    text.match = text_list(value, "match");
    text.not_match = text_list(value, "not_match");
    permissions.name = "custom";
    permissions.custom = std::move(text);
    return permissions;
}

void read_providers(const Json& object, HomeConfiguration& home, std::string_view what) {
    const Json* value = find(object, "providers");
    if (value == nullptr) return;
    for (const auto& [name, settings] : value->items()) {
        const std::string place = "providers." + name;
        if (!settings.is_object()) refuse(what, place, "an object", settings);
        for (const char* key : {"base_url", "api_version"})
            if (settings.contains(key) && !settings[key].is_string())
                refuse(what, place + "." + key, "a string", settings[key]);
        if (settings.contains("max_output_tokens") &&
            !fits(settings["max_output_tokens"], KeyType::integer))
            refuse(what, place + ".max_output_tokens", "a whole number",
                   settings["max_output_tokens"]);
        home.providers[name] = {chat::string_or(settings, "base_url"),
                                chat::string_or(settings, "api_version"),
                                chat::integer_or(settings, "max_output_tokens")};
    }
}

// One that is too long is a wrong configuration, not a failure of the file system.
std::optional<std::string> read_if_there(const std::string& path) {
    std::error_code absent;
    if (std::filesystem::file_size(path, absent) > base::limits::config_bytes && !absent)
        throw Error(ErrorCode::config_invalid,
                    path + ": more than " + std::to_string(base::limits::config_bytes) + " bytes");
    return sys::read_file_if_there(path, base::limits::config_bytes);
}

}  // namespace

Permissions parse_permissions(std::string_view json, std::string_view what) {
    const std::string subject(what);
    const Json value = chat::parse_json(json, what, chat::DuplicateKeys::refuse,
                                        base::limits::config_bytes, ErrorCode::config_invalid);
    if (!value.is_object() && !value.is_string())
        refuse(what, "permissions", expected(KeyType::permissions), value);
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
    configuration.shared = read_shared(object, what);
    return configuration;
}

Configuration load_configuration(const Directory& directory) {
    const auto text = read_if_there(directory.configuration());
    if (!text)
        throw Error(ErrorCode::config_invalid, directory.configuration() + ": no such file",
                    "the agent's configuration was removed; put it back or destroy the agent");
    return parse_configuration(*text, directory.configuration());
}

HomeConfiguration load_home_configuration(const Home& home) {
    HomeConfiguration configuration;
    const auto text = read_if_there(home.config());
    if (!text) return configuration;
    const std::string what = home.config();
    const Json object = checked_object(*text, what, File::home);
    configuration.default_model = chat::string_or(object, "default_model");
    if (const Json* value = find(object, "default_permissions"))
        configuration.default_permissions = read_permissions(*value, what, "default_permissions");
    if (const Json* value = find(object, "permissions")) {
        if (!value->is_object())
            refuse(what, "permissions", "an object of profiles by name", *value);
        for (const auto& [name, profile] : value->items()) {
            if (!profile.is_object()) refuse(what, "permissions." + name, "an object", profile);
            configuration.profiles[name] =
                *read_permissions(profile, what, "permissions." + name).custom;
        }
    }
    read_providers(object, configuration, what);
    configuration.max_bash_timeout_ms =
        duration_ms(object, "max_bash_timeout").value_or(base::limits::bash_most_ms);
    configuration.max_retries = integer(object, "max_retries").value_or(3);
    configuration.prompt_ttl_ms = duration_ms(object, "prompt_ttl").value_or(604'800'000);
    configuration.sandbox_read = text_list(object, "sandbox_read");
    if (const Json* value = find(object, "allow_network_fs"))
        configuration.allow_network_fs = value->get<bool>();
    configuration.shared = read_shared(object, what);
    return configuration;
}

policy::Profile resolve_profile(const Permissions& permissions, const HomeConfiguration& home,
                                std::string_view what) {
    if (permissions.custom) return policy::Profile::compile(*permissions.custom, what);
    if (auto preset = policy::Profile::preset(permissions.name)) return std::move(*preset);
    const auto found = home.profiles.find(permissions.name);
    if (found != home.profiles.end())
        return policy::Profile::compile(found->second, "config.json: permissions." + found->first);
    std::vector<std::string> names = policy::Profile::preset_names();
    for (const auto& [name, ignored] : home.profiles) names.push_back(name);
    throw Error(ErrorCode::config_invalid,
                std::string(what) + ": permissions: no profile '" +
                    base::visible(permissions.name, base::Newlines::escape) + "'",
                "there are " + base::quoted_list(names));
}

std::string with_members(std::string_view text, const std::map<std::string, std::string>& members) {
    Json object = chat::parse_json(text, "agent.json");
    for (const auto& [name, value] : members) object[name] = chat::parse_json(value, name);
    return object.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace chorus::agent
