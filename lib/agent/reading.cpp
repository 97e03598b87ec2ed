#include "agent/reading.hpp"

#include <algorithm>
#include <filesystem>

#include "agent/channel.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/file.hpp"

namespace chorus::agent {

using base::Error;
using base::ErrorCode;
using chat::Json;

namespace {

bool is_list_of(const Json& value, bool (*is_one)(const Json&)) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_one);
}

bool is_text(const Json& value) {
    return value.is_string();
}

bool is_name(const Json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty();
}

bool is_names(const Json& value) {
    return is_name(value) || is_list_of(value, is_name);
}

bool is_duration(const Json& value) {
    if (value.is_string()) return base::parse_duration_ms(value.get<std::string>()).has_value();
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
           value.get<std::int64_t>() <= 1'000'000'000;
}

// The upper bound is far above any useful count, and far below an overflow of sums.
bool is_count(const Json& value) {
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
           value.get<std::int64_t>() <= 1'000'000'000;
}

bool is_path(const Json& value) {
    if (!value.is_string()) return false;
    const auto& text = value.get_ref<const std::string&>();
    return text.starts_with('/') && text.find('\0') == std::string::npos;
}

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
    return type == KeyType::budget || type == KeyType::limits || type == KeyType::programs ||
           is_profile(type);
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

}  // namespace

void refuse(std::string_view what, const std::string& key, std::string_view wanted,
            const Json& found) {
    throw Error(ErrorCode::config_invalid,
                std::string(what) + ": " + base::visible(key, base::Newlines::escape) +
                    ": expected " + std::string(wanted) + ", found " +
                    base::visible(std::string(base::utf8_prefix(chat::dump(found), 60)),
                                  base::Newlines::escape));
}

std::int64_t milliseconds(const Json& duration) {
    return duration.is_string() ? *base::parse_duration_ms(duration.get<std::string>())
                                : duration.get<std::int64_t>() * 1000;
}

bool is_variable(const Json& value) {
    if (!value.is_string()) return false;
    const auto& name = value.get_ref<const std::string&>();
    const std::string digits = "0123456789";
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return !name.empty() && letters.find(name.front()) != std::string::npos &&
           name.find_first_not_of(letters + digits) == std::string::npos;
}

bool fits(const Json& value, KeyType type) {
    switch (type) {
        case KeyType::text:
            return value.is_string();
        case KeyType::text_or_null:
        case KeyType::channel:
            return value.is_string() || value.is_null();
        case KeyType::integer:
            return is_count(value);
        case KeyType::count:
            return is_count(value) && value != 0;
        case KeyType::amount:
            return value.is_number() && value.get<double>() >= 0;
        case KeyType::duration:
            return is_duration(value);
        case KeyType::timeout:
            return is_duration(value) && milliseconds(value) >= 1000;
        case KeyType::boolean:
            return value.is_boolean();
        case KeyType::text_list:
            return is_list_of(value, is_text);
        case KeyType::variables:
            return is_list_of(value, is_variable);
        case KeyType::paths:
            return is_list_of(value, is_path);
        case KeyType::names:
            return is_names(value);
        case KeyType::object:
        case KeyType::profile:
        case KeyType::profiles:
        case KeyType::budget:
        case KeyType::limits:
        case KeyType::programs:
        case KeyType::providers:
        case KeyType::provider:
        case KeyType::name_lists:
            return value.is_object();
        case KeyType::array:
            return value.is_array();
        case KeyType::permissions:
            return value.is_string() || value.is_object();
        case KeyType::sandbox: {
            sys::SandboxMode mode{};
            return value.is_string() && sys::parse_sandbox_mode(value.get<std::string>(), mode);
        }
        case KeyType::sink:
            return value == "syslog" || is_path(value);
        case KeyType::path:
            return is_path(value);
        case KeyType::any:
            return true;
    }
    return false;
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

std::vector<std::string> unread_keys(const Json& object, File file) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) {
        const Key* key = find_key(name);
        if ((key == nullptr || !belongs(*key, file)) && !value.is_null()) names.push_back(name);
    }
    return names;
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
    return milliseconds(*value);
}

std::vector<std::string> text_list(const Json& object, const char* key) {
    const Json* value = find(object, key);
    return value == nullptr ? std::vector<std::string>{} : value->get<std::vector<std::string>>();
}

std::optional<sys::SandboxMode> read_sandbox(const Json& object) {
    const Json* value = find(object, "sandbox");
    if (value == nullptr) return std::nullopt;
    sys::SandboxMode mode{};
    sys::parse_sandbox_mode(value->get<std::string>(), mode);
    return mode;
}

Budget read_budget(const Json& object) {
    Budget budget;
    const Json* value = find(object, "budget");
    if (value == nullptr) return budget;
    budget.tokens_per_turn = integer(*value, "tokens_per_turn");
    if (const Json* amount = find(*value, "usd_per_turn"))
        budget.usd_per_turn = amount->get<double>();
    if (const Json* amount = find(*value, "usd_per_day"))
        budget.usd_per_day = amount->get<double>();
    return budget;
}

Shared read_shared(const Json& object) {
    Shared shared;
    shared.rolling_window_ms = duration_ms(object, "rolling_window");
    shared.idle_timeout_ms = duration_ms(object, "idle_timeout");
    shared.max_iterations = integer(object, "max_iterations");
    shared.max_messages = integer(object, "max_messages");
    shared.context_tokens = integer(object, "context_tokens");
    shared.parallel_tools = integer(object, "parallel_tools");
    if (const Json* value = find(object, "auto_compact")) shared.auto_compact = value->get<bool>();
    shared.sandbox = read_sandbox(object);
    shared.environment = text_list(object, "environment");
    shared.budget = read_budget(object);
    return shared;
}

Permissions read_permissions(const Json& value, const std::string& what, const std::string& key) {
    Permissions permissions;
    permissions.json = chat::dump(value);
    if (value.is_string()) {
        permissions.name = value.get<std::string>();
        return permissions;
    }
    policy::ProfileText text;
    text.base = chat::string_or(value, "base");
    text.deny = read_rules(value, "deny", what, key);
    text.allow = read_rules(value, "allow", what, key);
    text.ask = read_rules(value, "ask", what, key);
    text.match = text_list(value, "match");
    text.not_match = text_list(value, "not_match");
    permissions.name = "custom";
    permissions.custom = std::move(text);
    return permissions;
}

std::optional<std::string> read_if_there(const std::string& path) {
    std::error_code absent;
    if (std::filesystem::file_size(path, absent) > base::limits::config_bytes && !absent)
        throw Error(ErrorCode::config_invalid,
                    path + ": more than " + std::to_string(base::limits::config_bytes) + " bytes");
    return sys::read_file_if_there(path, base::limits::config_bytes);
}

}  // namespace chorus::agent
