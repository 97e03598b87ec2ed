// agent.json and config.json: loaded, checked against the table of keys, rewritten without losing
// what this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "base/limits.hpp"
#include "policy/profile.hpp"
#include "sys/environment.hpp"
#include "sys/sandbox.hpp"

namespace chorus::agent {

struct Budget {
    std::optional<double> usd_per_turn;
    std::optional<double> usd_per_day;
    std::optional<std::int64_t> tokens_per_turn;
};

// A profile by name, or written out.
struct Permissions {
    std::string name = "standard";  // "custom" when written out
    std::optional<policy::ProfileText> custom;
    std::string json = {};  // as it was read; "" where it was not
};

// The keys that agent.json and config.json share; unset ones are absent.
struct Shared {
    std::optional<std::int64_t> rolling_window_ms;
    std::optional<std::int64_t> idle_timeout_ms;
    std::optional<std::int64_t> max_iterations;
    std::optional<std::int64_t> max_messages;
    std::optional<std::int64_t> context_tokens;
    std::optional<std::int64_t> parallel_tools;
    std::optional<bool> auto_compact;
    std::optional<sys::SandboxMode> sandbox;
    std::vector<std::string> environment;
    Budget budget;
};

// agent.json
struct Configuration {
    std::string name;
    std::string model;  // "" for null
    std::string system_prompt;
    std::string description;
    std::string channel_id;  // "" for null
    Permissions permissions;
    Shared shared;
    std::vector<std::string> unread;  // keys of the file that nothing reads
    std::string text;                 // the file as it was read
};

// What no agent of the home may exceed, whatever its agent.json says.
struct Limits {
    std::optional<Permissions> permissions;
    std::optional<sys::SandboxMode> sandbox;
    Budget budget;
    std::optional<std::vector<std::string>> environment;  // the names there may be
    std::int64_t checkpoint_bytes = base::limits::checkpoint_bytes;
    bool private_webhooks = false;  // channels may post to own networks
    // How long a model's server may be silent: before the model writes, and while it does.
    std::int64_t first_byte_ms = base::limits::first_byte_ms;
    std::int64_t stall_ms = base::limits::stall_ms;
};

// config.json; a missing file is the defaults.
struct HomeConfiguration {
    std::string default_model;
    Permissions default_permissions;
    std::map<std::string, policy::ProfileText> profiles;  // permissions.<name>
    struct ProviderSettings {
        std::string base_url;
        std::string api_version;
        std::int64_t max_output_tokens = 0;
        std::optional<std::int64_t> first_byte_ms = {};  // instead of that in limits
        std::optional<std::int64_t> stall_ms = {};
    };
    std::map<std::string, ProviderSettings> providers;
    std::int64_t max_bash_timeout_ms = base::limits::bash_most_ms;
    std::int64_t max_retries = 3;
    std::int64_t prompt_ttl_ms = 604'800'000;
    std::vector<std::string> sandbox_read;
    std::string bwrap = "bwrap";  // as sys::program_path() takes them
    std::string bash = "bash";
    bool allow_network_fs = false;
    Limits limits;
    // Roles to the profiles they may grant, "*" for any; users and %groups to their roles.
    std::map<std::string, std::vector<std::string>> permission_grants;
    std::map<std::string, std::vector<std::string>> roles;
    std::string audit_sink;           // "syslog", an absolute path, or "" for none
    std::vector<std::string> unread;  // keys of the file that nothing reads
    Shared shared;
};

// The files as they are; of a home without config.json "{}". Error(config_invalid) for an agent
// without agent.json, and for a file that is too long.
std::string configuration_text(const Directory& directory);
std::string configuration_text(const Home& home);

// Throw Error(config_invalid) naming the file, the key and the expected type.
Configuration parse_configuration(std::string_view text, std::string_view what);
Configuration load_configuration(const Directory& directory);
HomeConfiguration parse_home_configuration(std::string_view text, std::string_view what);
HomeConfiguration load_home_configuration(const Home& home);
// The agent's own or the home's, and no weaker than the home's limit.
sys::SandboxMode sandbox_in_force(const Configuration& agent, const HomeConfiguration& home);
// Error(config_invalid) where audit_sink names a file of the home.
void check_audit_sink(const HomeConfiguration& configuration, const Home& home);
// "permissions" as chorus-init's --permissions takes it: a name, or @FILE's JSON text.
Permissions parse_permissions(std::string_view json, std::string_view what);

// The profile in force: a preset, a profile of config.json, or the one written out. Throws
// Error(config_invalid) listing the names there are. `what` and `key`: the file, and where in it.
policy::Profile resolve_profile(const Permissions& permissions, const HomeConfiguration& home,
                                std::string_view what, std::string_view key = "permissions");
// Compiles every profile of the home, and finds those it names.
void check_profiles(const HomeConfiguration& home, std::string_view what);

// agent.json's text with these members set (JSON values as text); everything else stays as it is.
std::string with_members(std::string_view text, const std::map<std::string, std::string>& members);
// The same with the members of the other text that it lacks or has as null. Error(config_invalid)
// for what is no object.
std::string with_missing_members(std::string_view text, std::string_view from);

}  // namespace chorus::agent
