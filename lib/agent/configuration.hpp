// Loads agent.json and config.json, checks them against the table of keys, and rewrites them
// without losing what this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "base/enum_names.hpp"
#include "base/limits.hpp"
#include "base/money.hpp"
#include "policy/profile.hpp"
#include "sys/sandbox.hpp"

namespace chorus::agent {

struct Budget {
    std::optional<base::MicroUsd> usd_per_turn = {};
    std::optional<base::MicroUsd> usd_per_day = {};
    std::optional<std::int64_t> tokens_per_turn = {};
    std::optional<std::int64_t> tokens_per_day = {};
};

// How a model answers; what is not set is left to the provider.
struct ModelOptions {
    std::optional<std::string> effort = {};  // of reasoning, as the provider names it
    std::optional<std::int64_t> max_tokens = {};
    std::optional<double> temperature = {};
};

// A profile by name, or given in full.
struct Permissions {
    std::string name = "standard";  // "custom" if given in full
    std::optional<policy::ProfileText> custom;
    std::string json = {};  // as read from the file; "" if it was not
};

// The keys that agent.json and config.json share; unset ones are absent.
struct Shared {
    std::optional<std::int64_t> rolling_window_ms;
    std::optional<std::int64_t> idle_timeout_ms;
    std::optional<std::int64_t> max_iterations;
    std::optional<std::int64_t> max_messages;
    std::optional<std::int64_t> context_tokens;
    std::optional<std::int64_t> parallel_tools;
    std::optional<std::int64_t> max_subagents;
    std::optional<bool> auto_compact;
    std::optional<sys::SandboxMode> sandbox;
    std::vector<std::string> environment;
    Budget budget;
    ModelOptions model_options;
    std::optional<std::string> fallback_model;
};

// agent.json
struct Configuration {
    std::string model;  // "" for null
    std::string system_prompt;
    std::string description;
    std::string channel_id;  // "" for null
    Permissions permissions;
    Shared shared;
    std::vector<std::string> unread;  // keys of the file that nothing reads
    std::string text;                 // the file as it was read
    std::string trust_part;           // of the text (agent/trust_keys.hpp)
};

// Limits for every agent of the home, whatever its agent.json says.
struct Limits {
    std::optional<Permissions> permissions;
    std::optional<sys::SandboxMode> sandbox;
    Budget budget;
    std::optional<std::vector<std::string>> environment;  // the allowed names
    std::int64_t checkpoint_bytes = base::limits::checkpoint_bytes;
    bool private_webhooks = false;  // channels may post to private networks
    // How long a model's server may stay silent: before the model writes, and while it does.
    std::int64_t first_byte_ms = base::limits::first_byte_ms;
    std::int64_t stall_ms = base::limits::stall_ms;
};

// Whether a rate limit switches to another credential profile.
inline constexpr base::EnumNames<bool, 2> profile_modes{{"manual", "auto"}};

// config.json; a missing file means the defaults.
struct HomeConfiguration {
    std::string default_model;
    Permissions default_permissions;
    std::map<std::string, policy::ProfileText> profiles;  // permissions.<name>
    struct ProviderSettings {
        std::string base_url;
        std::string api_version;
        std::string key_header = {};
        std::map<std::string, std::string> headers = {};
        std::map<std::string, std::string> query = {};
        std::int64_t max_output_tokens = 0;
        std::optional<std::int64_t> first_byte_ms = {};  // overrides the one in limits
        std::optional<std::int64_t> stall_ms = {};
    };
    std::map<std::string, ProviderSettings> providers;
    std::int64_t max_bash_timeout_ms = base::limits::bash_most_ms;
    std::int64_t max_retries = 3;
    std::int64_t prompt_ttl_ms = 604'800'000;
    std::string profile_mode = "auto";
    std::int64_t rotate_cooldown_ms = 300'000;
    std::int64_t rotate_max_per_hour = 20;  // for each provider
    std::vector<std::string> sandbox_read;
    std::string bwrap = "bwrap";  // as sys::program_path() takes them
    std::string bash = "bash";
    bool allow_network_fs = false;
    Limits limits;
    // permission_grants: the profiles that a role may grant, "*" for any. roles: the roles of users
    // and %groups.
    std::map<std::string, std::vector<std::string>> permission_grants;
    std::map<std::string, std::vector<std::string>> roles;
    std::string audit_sink;           // "syslog", an absolute path, or "" for none
    std::vector<std::string> unread;  // keys of the file that nothing reads
    Shared shared;
};

// Returns the text of the file; "{}" for a home without config.json. Error(config_invalid) for an
// agent without agent.json, and for a file that is too long.
std::string configuration_text(const Directory& directory);
std::string configuration_text(const Home& home);
// These return the text of models.json and of available_models.json; "" if there is none.
std::string models_text(const Home& home);
std::string available_models_text(const Home& home);

// These throw Error(config_invalid) with the file, the key and the expected type.
Configuration parse_configuration(std::string_view text, std::string_view what);
Configuration load_configuration(const Directory& directory);
HomeConfiguration parse_home_configuration(std::string_view text, std::string_view what);
HomeConfiguration load_home_configuration(const Home& home);
// Returns the agent's own or the home's sandbox mode, but no weaker than the home's limit.
sys::SandboxMode sandbox_in_force(const Configuration& agent, const HomeConfiguration& home);
// Throws Error(config_invalid) if audit_sink names a file inside the home.
void check_audit_sink(const HomeConfiguration& configuration, const Home& home);
// Parses "permissions" as chorus-init's --permissions takes it: a name, or the JSON text of @FILE.
Permissions parse_permissions(std::string_view json, std::string_view what);
// Reads an option's value: a profile's name, or @FILE with a profile in full. Whether the name
// exists is checked by resolve_profile. Error(config_invalid).
Permissions named_permissions(std::string_view given, std::string_view option);

// Returns the profile in force: a preset, a profile of config.json, or the one given in full.
// Throws Error(config_invalid) with the list of known names. `what` and `key`: the file and the
// place in it.
policy::Profile resolve_profile(const Permissions& permissions, const HomeConfiguration& home,
                                std::string_view what, std::string_view key = "permissions");
// Returns the text that it would compile; for a preset, a text with only its base.
policy::ProfileText profile_text(const Permissions& permissions, const HomeConfiguration& home);
// Compiles every profile of the home, and checks that the profiles it names exist.
void check_profiles(const HomeConfiguration& home, std::string_view what);

// Returns agent.json's text with these members set (JSON values as text); everything else is
// unchanged.
std::string with_members(std::string_view text, const std::map<std::string, std::string>& members);
// The same with those members of the other text that are missing or null in the first.
// Error(config_invalid) if a text is not an object.
std::string with_missing_members(std::string_view text, std::string_view from);

}  // namespace chorus::agent
