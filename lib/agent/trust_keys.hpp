// The part of agent.json that is only in force as far as the user set it: keys that start programs,
// send data, choose the environment or widen permissions (chorus-permissions(7), section TRUST).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

// Sorted.
std::span<const std::string_view> trust_keys();
bool is_trust_key(std::string_view key);

// Returns those keys that are present and not null, as one canonical JSON object: compact, with
// sorted names, so that equal parts are equal texts. Error(config_invalid) if agent.json is not a
// JSON object.
std::string trust_part(std::string_view agent_json);
// Returns agent.json's text with those keys as in the part; equal keys and all other keys are
// unchanged.
std::string with_trust_part(std::string_view agent_json, std::string_view part);
// Returns the part with that one key as in agent.json.
std::string with_trusted_key(std::string_view part, std::string_view key,
                             std::string_view agent_json);

// Returns the part with those missing keys of agent.json that grant nothing: permissions standard
// and locked, the strictest sandbox, and empty values.
std::string with_harmless_keys(std::string_view part, std::string_view agent_json);

struct TrustChange {
    std::string key;
    std::string before;  // canonical JSON; "" if absent
    std::string after;
};
// Returns how agent.json differs from the part, by key.
std::vector<TrustChange> trust_changes(std::string_view part_before, std::string_view agent_json);
std::vector<std::string> keys_of(const std::vector<TrustChange>& changes);

}  // namespace chorus::agent
