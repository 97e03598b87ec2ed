#include "agent/keys.hpp"

#include <algorithm>

namespace chorus::agent {

std::string_view expected(KeyType type) {
    switch (type) {
        case KeyType::text:
            return "a string";
        case KeyType::text_or_null:
            return "a string or null";
        case KeyType::integer:
            return "a whole number";
        case KeyType::duration:
            return "a whole number of seconds or a duration like \"10m\"";
        case KeyType::boolean:
            return "true or false";
        case KeyType::text_list:
            return "a list of strings";
        case KeyType::object:
            return "an object";
        case KeyType::array:
            return "a list";
        case KeyType::permissions:
            return "a profile's name or an object";
        case KeyType::sandbox:
            return "\"workspace\", \"workspace+net\" or \"off\"";
    }
    return "";
}

const std::vector<Key>& keys() {
    using enum KeyType;
    static const std::vector<Key> rows{
        {"allow_network_fs", boolean, false, true, "false", "CHORUS_NETWORK_FS",
         "allow a home on a network file system"},
        {"auto_compact", boolean, true, true, "false", "",
         "summarise what would fall out of the window"},
        {"budget", object, true, true, "", "",
         "usd_per_turn, usd_per_day, tokens_per_turn: what a turn may spend"},
        {"channel_id", text_or_null, true, false, "", "",
         "where answers and notices are posted too"},
        {"context_tokens", integer, true, true, "", "",
         "the model's context size; 80 % of it is the window's budget"},
        {"created_at", text_or_null, true, false, "", "", "when the agent was made"},
        {"default_model", text, false, true, "", "CHORUS_MODEL", "the model of new agents"},
        {"default_permissions", permissions, false, true, "standard", "",
         "the permission profile of new agents"},
        {"description", text, true, false, "", "", "one line on what the agent is for"},
        {"environment", text_list, true, true, "", "",
         "names of variables that commands of the agent may see"},
        {"hooks", object, true, true, "", "", "programs run at points of a turn"},
        {"idle_timeout", duration, true, true, "1800", "CHORUS_IDLE_TIMEOUT_MS",
         "idle time after which a session is saved"},
        {"limits", object, false, true, "", "", "what no agent of this home may exceed"},
        {"max_bash_timeout", duration, false, true, "600", "",
         "the longest timeout a command may ask for"},
        {"max_iterations", integer, true, true, "25", "", "model calls in one turn"},
        {"max_messages", integer, true, true, "", "", "messages in the window"},
        {"max_retries", integer, false, true, "3", "", "retries of one model call"},
        {"mcpServers", object, true, true, "", "", "MCP servers"},
        {"metadata", object, true, false, "", "", "yours; Chorus never reads it"},
        {"model", text_or_null, true, false, "", "CHORUS_MODEL", "provider/name"},
        {"name", text, true, false, "", "", "the agent's name"},
        {"notify", object, true, true, "", "", "whom to tell when something waits"},
        {"parallel_tools", integer, true, true, "4", "", "read-only calls run side by side"},
        {"permission_grants", object, false, true, "", "", "which role may grant which profile"},
        {"permissions", KeyType::permissions, true, true, "standard", "",
         "agent.json: the profile in force; config.json: profiles by name"},
        {"prompt_ttl", duration, false, true, "604800", "", "how long a question waits"},
        {"providers", object, false, true, "", "", "base_url and more, by provider"},
        {"roles", object, false, true, "", "", "roles of users and groups"},
        {"rolling_window", duration, true, true, "86400", "", "how far back the window reaches"},
        {"running_tasks", array, true, false, "", "", "mirror of the running background tasks"},
        {"sandbox", KeyType::sandbox, true, true, "workspace", "", "how commands are confined"},
        {"sandbox_read", text_list, false, true, "", "", "further paths that commands may read"},
        {"system_prompt", text, true, false, "", "", "the agent's instructions"},
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

}  // namespace chorus::agent
