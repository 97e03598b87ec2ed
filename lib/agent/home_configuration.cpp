#include "agent/configuration.hpp"
#include "agent/own_places.hpp"
#include "agent/reading.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::agent {
namespace {

using chat::Json;
using NameLists = std::map<std::string, std::vector<std::string>>;

void read_profiles(const Json& object, HomeConfiguration& home, const std::string& what) {
    const Json* value = find(object, "permissions");
    if (value == nullptr) return;
    for (const auto& [name, profile] : value->items())
        if (!profile.is_null())
            home.profiles[name] = *read_permissions(profile, what, "permissions." + name).custom;
}

void read_providers(const Json& object, HomeConfiguration& home) {
    const Json* value = find(object, "providers");
    if (value == nullptr) return;
    for (const auto& [name, settings] : value->items())
        home.providers[name] = {
            chat::string_or(settings, "base_url"), chat::string_or(settings, "api_version"),
            chat::integer_or(settings, "max_output_tokens"), duration_ms(settings, "first_byte"),
            duration_ms(settings, "stall")};
}

NameLists read_name_lists(const Json& object, const char* key) {
    NameLists lists;
    const Json* value = find(object, key);
    if (value == nullptr) return lists;
    for (const auto& [name, names] : value->items()) {
        if (names.is_string()) lists[name] = {names.get<std::string>()};
        if (names.is_array()) lists[name] = names.get<std::vector<std::string>>();
    }
    return lists;
}

Limits read_limits(const Json& object, const std::string& what) {
    Limits limits;
    const Json* value = find(object, "limits");
    if (value == nullptr) return limits;
    if (const Json* permissions = find(*value, "permissions"))
        limits.permissions = read_permissions(*permissions, what, "limits.permissions");
    limits.sandbox = read_sandbox(*value);
    limits.budget = read_budget(*value);
    if (find(*value, "environment") != nullptr)
        limits.environment = text_list(*value, "environment");
    if (const auto mib = integer(*value, "checkpoint_mib")) limits.checkpoint_bytes = *mib << 20U;
    if (const Json* value_of = find(*value, "private_webhooks"))
        limits.private_webhooks = value_of->get<bool>();
    limits.first_byte_ms = duration_ms(*value, "first_byte").value_or(limits.first_byte_ms);
    limits.stall_ms = duration_ms(*value, "stall").value_or(limits.stall_ms);
    return limits;
}

}  // namespace

HomeConfiguration parse_home_configuration(std::string_view text, std::string_view file) {
    const std::string what(file);
    const Json object = checked_object(text, what, File::home);
    HomeConfiguration home;
    home.unread = unread_keys(object, File::home);
    home.default_model = chat::string_or(object, "default_model");
    if (const Json* value = find(object, "default_permissions"))
        home.default_permissions = read_permissions(*value, what, "default_permissions");
    read_profiles(object, home, what);
    read_providers(object, home);
    home.max_bash_timeout_ms =
        duration_ms(object, "max_bash_timeout").value_or(base::limits::bash_most_ms);
    home.max_retries = integer(object, "max_retries").value_or(3);
    home.prompt_ttl_ms = duration_ms(object, "prompt_ttl").value_or(604'800'000);
    home.sandbox_read = text_list(object, "sandbox_read");
    if (const Json* value = find(object, "programs")) {
        home.bwrap = chat::string_or(*value, "bwrap", home.bwrap);
        home.bash = chat::string_or(*value, "bash", home.bash);
    }
    if (const Json* value = find(object, "allow_network_fs"))
        home.allow_network_fs = value->get<bool>();
    home.limits = read_limits(object, what);
    home.permission_grants = read_name_lists(object, "permission_grants");
    home.roles = read_name_lists(object, "roles");
    home.audit_sink = chat::string_or(object, "audit_sink");
    home.shared = read_shared(object);
    return home;
}

std::string configuration_text(const Home& home) {
    return read_if_there(home.config()).value_or("{}");
}

HomeConfiguration load_home_configuration(const Home& home) {
    const auto text = read_if_there(home.config());
    if (!text) return {};
    HomeConfiguration read = parse_home_configuration(*text, home.config());
    check_audit_sink(read, home);
    return read;
}

void check_audit_sink(const HomeConfiguration& configuration, const Home& home) {
    const std::string& sink = configuration.audit_sink;
    if (!sink.starts_with('/') || !is_in_home(home, sink)) return;
    throw base::Error(base::ErrorCode::config_invalid,
                      home.config() + ": audit_sink: " + base::quoted(sink) + " is inside the home",
                      "chorus-config set audit_sink FILE, with a FILE outside of " + home.path() +
                          ", or chorus-config unset audit_sink");
}

void check_profiles(const HomeConfiguration& home, std::string_view file) {
    const std::string what(file);
    for (const auto& [name, profile] : home.profiles) {
        if (policy::Profile::preset(name))
            throw base::Error(base::ErrorCode::config_invalid,
                              what + ": permissions." + name + ": a preset has that name",
                              "choose another name; a preset cannot be redefined");
        (void)policy::Profile::compile(profile, what + ": permissions." + name);
    }
    (void)resolve_profile(home.default_permissions, home, what, "default_permissions");
    if (home.limits.permissions)
        (void)resolve_profile(*home.limits.permissions, home, what, "limits.permissions");
}

}  // namespace chorus::agent
