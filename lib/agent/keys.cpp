#include "agent/keys.hpp"

#include <algorithm>

namespace chorus::agent {

const std::vector<Key>& keys() {
    using enum KeyType;
    static const std::vector<Key> rows{
        {"allow_network_fs", boolean, false, true, "false", "CHORUS_NETWORK_FS",
         "allow a home on a network file system"},
        {"audit_sink", sink, false, true, "", "",
         "where each new row of the audit log is also sent"},
        {"auto_compact", boolean, true, true, "false", "",
         "summarise what would fall out of the window"},
        {"budget", KeyType::budget, true, true, "", "",
         "usd_per_turn, usd_per_day, tokens_per_turn, tokens_per_day"},
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
        {"fallback_model", text, true, true, "", "",
         "the model that goes on if the provider fails"},
        {"idle_timeout", duration, true, true, "1800", "CHORUS_IDLE_TIMEOUT_MS",
         "idle time after which a session is saved"},
        {"limits", KeyType::limits, false, true, "", "", "what no agent of this home may exceed"},
        {"max_bash_timeout", timeout, false, true, "600", "",
         "the longest timeout that a command may request"},
        {"max_iterations", count, true, true, "25", "", "model calls in one turn"},
        {"max_messages", integer, true, true, "", "", "messages in the window"},
        {"max_retries", integer, false, true, "3", "", "retries of one model call"},
        {"max_subagents", count, true, true, "4", "", "sub-agents of one answer run side by side"},
        {"metadata", object, true, false, "", "", "your own data; Chorus never reads it"},
        {"model", text_or_null, true, false, "", "CHORUS_MODEL", "provider/name"},
        {"model_options", KeyType::model_options, true, true, "", "",
         "effort, max_tokens, temperature: how the model answers"},
        {"name", text, true, false, "", "", "the agent's name", true},
        {"parallel_tools", count, true, true, "4", "", "read-only calls run side by side"},
        {"permission_grants", name_lists, false, true, "", "",
         "which role may grant which profile"},
        {"permissions", KeyType::permissions, true, true, "standard", "",
         "agent.json: the profile in force; config.json: profiles by name"},
        {"profile_mode", KeyType::profile_mode, false, true, "auto", "CHORUS_PROFILE_MODE",
         "whether a rate limit switches to another credential profile"},
        {"programs", KeyType::programs, false, true, "", "",
         "paths of bash and bwrap outside the usual directories"},
        {"prompt_ttl", duration, false, true, "604800", "", "how long a question waits"},
        {"providers", KeyType::providers, false, true, "", "", "base_url and more, by provider"},
        {"roles", name_lists, false, true, "", "", "roles of users and groups"},
        {"rolling_window", duration, true, true, "86400", "", "how far back the window reaches"},
        {"rotate_cooldown", duration, false, true, "300", "CHORUS_ROTATE_COOLDOWN_SECS",
         "how long a rate-limited credential profile is not used"},
        {"rotate_max_per_hour", integer, false, true, "20", "CHORUS_ROTATE_MAX_PER_HOUR",
         "switches of credential profiles in an hour, for each provider"},
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

const std::vector<Variable>& variables() {
    static const std::vector<Variable> rows{
        {"ALL_PROXY", "", "same as all_proxy"},
        {"CHORUS_ACTOR", "", "name of the acting user, for the audit log"},
        {"CHORUS_AGENT", "", "the agent's name; set for its commands"},
        {"CHORUS_CHANNEL_TIMEOUT_MS", "30000",
         "how long posting to a channel may take; 0 posts nothing"},
        {"CHORUS_DRAIN_TIMEOUT_MS", "20000", "time for a running tool to end after a signal"},
        {"CHORUS_ENVIRONMENT_FD", "",
         "set by Chorus alone: the descriptor with a sub-agent's environment"},
        {"CHORUS_GROOM", "auto", "what a first run does without asking: auto, manual or pristine"},
        {"CHORUS_HOME", "~/.chorus-agents", "the home"},
        {"CHORUS_IDLE_TIMEOUT_MS", "1800000", "idle time after which a session is saved"},
        {"CHORUS_MODEL", "", "the model"},
        {"CHORUS_NETWORK_FS", "", "1 allows a home on a network file system"},
        {"CHORUS_NOW_MS", "", "a fixed current time, for tests"},
        {"CHORUS_POLL_MS", "", "how often chorus-tasks -f looks for changes"},
        {"CHORUS_PROFILE_MODE", "auto",
         "whether a rate limit switches to another credential profile: auto or manual"},
        {"CHORUS_ROTATE_COOLDOWN_SECS", "300",
         "how long a rate-limited credential profile is not used"},
        {"CHORUS_ROTATE_MAX_PER_HOUR", "20",
         "switches of credential profiles in an hour, for each provider"},
        {"CHORUS_SHUTDOWN_TIMEOUT_MS", "10000", "time for a command between SIGTERM and SIGKILL"},
        {"CHORUS_STDIN", "append", "how stdin is used beside a prompt"},
        {"CHORUS_STDIN_TIMEOUT_MS", "600000", "how long stdin may stay silent"},
        {"CHORUS_TRACE", "", "the file to which turns append their spans"},
        {"CURL_CA_BUNDLE", "", "certificates to trust, a file"},
        {"HTTPS_PROXY", "", "same as https_proxy"},
        {"NO_COLOR", "", "no colours on a terminal"},
        {"NO_PROXY", "", "same as no_proxy"},
        {"SSL_CERT_DIR", "/etc/ssl/certs", "certificates to trust, a directory"},
        {"SSL_CERT_FILE", "", "certificates to trust, a file"},
        {"TRACEPARENT", "", "the span in which turns are traced"},
        {"all_proxy", "", "the proxy for https if https_proxy is not set"},
        {"http_proxy", "", "the proxy for http"},
        {"https_proxy", "", "the proxy for https"},
        {"no_proxy", "", "hosts that are reached without a proxy"},
    };
    return rows;
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
