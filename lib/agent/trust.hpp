// The part of agent.json that is in force only as far as a person set it: keys that start programs,
// send data, choose the environment or widen rights (chorus-permissions(7), section TRUST).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

// Sorted.
std::span<const std::string_view> trust_keys();
bool is_trust_key(std::string_view key);

// Those keys that are there and not null, as one canonical JSON object: compact, names sorted, so
// that equal parts are equal texts. Error(config_invalid) where agent.json is no JSON object.
std::string trust_part(std::string_view agent_json);
// agent.json's text with those keys as the part has them; keys that do not differ, and all others,
// stay as they are.
std::string with_trust_part(std::string_view agent_json, std::string_view part);
// The part with that one key as agent.json has it.
std::string with_trusted_key(std::string_view part, std::string_view key,
                             std::string_view agent_json);

// The part, and of agent.json those keys that the part lacks and that give nothing that is not had
// without them: permissions standard and locked, the strictest sandbox, what is empty.
std::string with_harmless_keys(std::string_view part, std::string_view agent_json);

struct TrustChange {
    std::string key;
    std::string before;  // canonical JSON; "" where it is not there
    std::string after;
};
// What of agent.json differs from the part, by key.
std::vector<TrustChange> trust_changes(std::string_view part_before, std::string_view agent_json);

}  // namespace chorus::agent
