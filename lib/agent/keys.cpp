#include "agent/keys.hpp"

#include <algorithm>
#include <array>

namespace chorus::agent {

std::string_view expected(KeyType type) {
    switch (type) {
        case KeyType::text:
            return "a string";
        case KeyType::text_or_null:
        case KeyType::channel:
            return "a string or null";
        case KeyType::integer:
            return "a whole number";
        case KeyType::count:
            return "a whole number, 1 or more";
        case KeyType::amount:
            return "a number that is not negative";
        case KeyType::duration:
            return "a whole number of seconds or a duration like \"10m\"";
        case KeyType::timeout:
            return "a duration of a second or more";
        case KeyType::boolean:
            return "true or false";
        case KeyType::text_list:
            return "a list of strings";
        case KeyType::variables:
            return "a list of variable names";
        case KeyType::paths:
            return "a list of absolute paths";
        case KeyType::names:
            return "a name or a list of names";
        case KeyType::object:
        case KeyType::budget:
        case KeyType::limits:
        case KeyType::programs:
        case KeyType::provider:
        case KeyType::profile:
            return "an object";
        case KeyType::providers:
            return "an object of objects by provider";
        case KeyType::name_lists:
            return "an object of names or lists of names";
        case KeyType::array:
            return "a list";
        case KeyType::permissions:
            return "a profile's name or an object";
        case KeyType::profiles:
            return "an object of profiles by name";
        case KeyType::sandbox:
            return "\"workspace\", \"workspace+net\", \"landlock\" or \"off\"";
        case KeyType::sink:
            return "\"syslog\" or the absolute path of a file";
        case KeyType::path:
            return "an absolute path";
        case KeyType::any:
            return "a value";
    }
    return "";
}

std::span<const Member> members(KeyType type) {
    using enum KeyType;
    static constexpr std::array<Member, 3> of_budget{
        {{"tokens_per_turn", integer}, {"usd_per_day", amount}, {"usd_per_turn", amount}}};
    static constexpr std::array<Member, 8> of_limits{{{"budget", budget},
                                                      {"checkpoint_mib", integer},
                                                      {"environment", variables},
                                                      {"first_byte", timeout},
                                                      {"permissions", permissions},
                                                      {"private_webhooks", boolean},
                                                      {"sandbox", sandbox},
                                                      {"stall", timeout}}};
    static constexpr std::array<Member, 6> of_profile{{{"allow", array},
                                                       {"ask", array},
                                                       {"base", text},
                                                       {"deny", array},
                                                       {"match", text_list},
                                                       {"not_match", text_list}}};
    static constexpr std::array<Member, 2> of_programs{{{"bash", path}, {"bwrap", path}}};
    static constexpr std::array<Member, 5> of_provider{{{"api_version", text},
                                                        {"base_url", text},
                                                        {"first_byte", timeout},
                                                        {"max_output_tokens", integer},
                                                        {"stall", timeout}}};
    static constexpr std::array<Member, 1> any_profile{{{"", profile}}};
    static constexpr std::array<Member, 1> any_provider{{{"", provider}}};
    static constexpr std::array<Member, 1> any_names{{{"", names}}};
    static constexpr std::array<Member, 1> anything{{{"", any}}};
    switch (type) {
        case budget:
            return of_budget;
        case limits:
            return of_limits;
        case permissions:
        case profile:
            return of_profile;
        case profiles:
            return any_profile;
        case programs:
            return of_programs;
        case provider:
            return of_provider;
        case providers:
            return any_provider;
        case name_lists:
            return any_names;
        case object:
        case any:
            return anything;
        default:
            return {};
    }
}

const std::vector<Key>& keys() {
    using enum KeyType;
    static const std::vector<Key> rows{
        {"allow_network_fs", boolean, false, true, "false", "CHORUS_NETWORK_FS",
         "allow a home on a network file system"},
        {"audit_sink", sink, false, true, "", "",
         "where each new row of the audit log is also sent"},
        {"auto_compact", boolean, true, true, "false", "",
         "summarise what would fall out of the window"},
        {"budget", KeyType::budget, true, true, "", "", "tokens_per_turn: what a turn may spend"},
        {"channel_id", channel, true, false, "", "", "where answers and notices are also sent"},
        {"context_tokens", integer, true, true, "", "",
         "the model's context size; 80 % of it is the window's budget"},
        {"created_at", text_or_null, true, false, "", "", "when the agent was created", true},
        {"default_model", text, false, true, "", "CHORUS_MODEL", "the model of new agents"},
        {"default_permissions", permissions, false, true, "standard", "",
         "the permission profile of new agents"},
        {"description", text, true, false, "", "", "one line on the agent's purpose"},
        {"environment", variables, true, true, "", "",
         "names of environment variables passed to the agent's commands"},
        {"idle_timeout", duration, true, true, "1800", "CHORUS_IDLE_TIMEOUT_MS",
         "idle time after which a session is saved"},
        {"limits", KeyType::limits, false, true, "", "", "what no agent of this home may exceed"},
        {"max_bash_timeout", timeout, false, true, "600", "",
         "the longest timeout that a command may request"},
        {"max_iterations", count, true, true, "25", "", "model calls in one turn"},
        {"max_messages", integer, true, true, "", "", "messages in the window"},
        {"max_retries", integer, false, true, "3", "", "retries of one model call"},
        {"metadata", object, true, false, "", "", "your own data; Chorus never reads it"},
        {"model", text_or_null, true, false, "", "CHORUS_MODEL", "provider/name"},
        {"name", text, true, false, "", "", "the agent's name", true},
        {"parallel_tools", count, true, true, "4", "", "read-only calls run side by side"},
        {"permission_grants", name_lists, false, true, "", "",
         "which role may grant which profile"},
        {"permissions", KeyType::permissions, true, true, "standard", "",
         "agent.json: the profile in force; config.json: profiles by name"},
        {"programs", KeyType::programs, false, true, "", "",
         "paths of bash and bwrap outside the usual directories"},
        {"prompt_ttl", duration, false, true, "604800", "", "how long a question waits"},
        {"providers", KeyType::providers, false, true, "", "", "base_url and more, by provider"},
        {"roles", name_lists, false, true, "", "", "roles of users and groups"},
        {"rolling_window", duration, true, true, "86400", "", "how far back the window reaches"},
        {"running_tasks", array, true, false, "", "", "mirror of the running background tasks",
         true},
        {"sandbox", KeyType::sandbox, true, true, "workspace", "", "how commands are confined"},
        {"sandbox_read", paths, false, true, "", "", "further paths that commands may read"},
        {"system_prompt", text, true, false, "", "", "the agent's instructions"},
    };
    return rows;
}

const Member* find_member(KeyType type, std::string_view name) {
    for (const Member& member : members(type))
        if (member.name.empty() || member.name == name) return &member;
    return nullptr;
}

const Key* find_key(std::string_view name) {
    const auto& rows = keys();
    const auto found =
        std::lower_bound(rows.begin(), rows.end(), name,
                         [](const Key& key, std::string_view wanted) { return key.name < wanted; });
    return found != rows.end() && found->name == name ? &*found : nullptr;
}

bool belongs(const Key& key, File file) {
    return file == File::agent ? key.in_agent : key.in_home;
}

KeyType type_in(const Key& key, File file) {
    const bool by_name = file == File::home && key.in_agent && key.type == KeyType::permissions;
    return by_name ? KeyType::profiles : key.type;
}

std::string_view fallback_in(const Key& key, File file) {
    return type_in(key, file) == key.type ? key.fallback : "";
}

}  // namespace chorus::agent
