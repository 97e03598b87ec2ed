#include "agent/trust_keys.hpp"

#include <algorithm>
#include <array>

#include "agent/kept_numbers.hpp"
#include "agent/reading.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"

namespace chorus::agent {
namespace {

using chat::Json;
using Sorted = nlohmann::json;  // by name

constexpr std::array<std::string_view, 5> keys_of_trust{"budget", "channel_id", "environment",
                                                        "permissions", "sandbox"};

Json parse_object(std::string_view text, const char* what) {
    Json object = chat::parse_json(text, what, chat::DuplicateKeys::refuse,
                                   base::limits::config_bytes, base::ErrorCode::config_invalid);
    if (!object.is_object())
        throw base::Error(base::ErrorCode::config_invalid,
                          std::string(what) + ": the whole file: expected an object");
    return object;
}

Json parse_agent(std::string_view agent_json) {
    return parse_object(agent_json, "agent.json");
}
Json parse_part(std::string_view part) {
    return parse_object(part, "the trusted part");
}

std::string canonical(const Json& value) {
    return Sorted(value).dump(-1, ' ', false, Sorted::error_handler_t::replace);
}

// Returns "" if it is absent; null means absent.
std::string canonical_member(const Json& object, std::string_view key) {
    const Json* found = find(object, std::string(key).c_str());
    return found == nullptr ? "" : canonical(*found);
}

void copy_member(const Json& from, Json& to, std::string_view key) {
    const std::string name(key);
    const Json* found = find(from, name.c_str());
    if (found == nullptr)
        to.erase(name);
    else
        to[name] = *found;
}

bool is_harmless(std::string_view key, const Json& value) {
    if (value.is_structured()) return value.empty();
    if (key == "permissions") return value == "standard" || value == "locked";
    return key == "sandbox" && value == "workspace";
}

}  // namespace

std::span<const std::string_view> trust_keys() {
    return keys_of_trust;
}

bool is_trust_key(std::string_view key) {
    return std::binary_search(keys_of_trust.begin(), keys_of_trust.end(), key);
}

std::string trust_part_of(const Json& object) {
    Json part = Json::object();
    for (const std::string_view key : keys_of_trust) copy_member(object, part, key);
    return canonical(part);
}

std::string trust_part(std::string_view agent_json) {
    return trust_part_of(parse_agent(agent_json));
}

std::string with_trust_part(std::string_view agent_json, std::string_view part) {
    const auto changes = trust_changes(part, agent_json);
    if (changes.empty()) return std::string(agent_json);
    KeptNumbers numbers;
    Json object = parse_agent(numbers.keep(agent_json));
    const Json trusted = parse_part(numbers.keep(part));
    for (const TrustChange& change : changes) copy_member(trusted, object, change.key);
    return numbers.written(object);
}

std::string with_trusted_key(std::string_view part, std::string_view key,
                             std::string_view agent_json) {
    Json trusted = parse_part(part);
    copy_member(parse_agent(agent_json), trusted, key);
    return canonical(trusted);
}

std::string with_harmless_keys(std::string_view part, std::string_view agent_json) {
    Json trusted = parse_part(part);
    const Json object = parse_agent(agent_json);
    for (const std::string_view key : keys_of_trust) {
        const Json* found = find(object, std::string(key).c_str());
        if (found != nullptr && canonical_member(trusted, key).empty() && is_harmless(key, *found))
            copy_member(object, trusted, key);
    }
    return canonical(trusted);
}

std::vector<TrustChange> trust_changes(std::string_view part_before, std::string_view agent_json) {
    const Json before = parse_part(part_before);
    const Json now = parse_agent(agent_json);
    std::vector<TrustChange> changes;
    for (const std::string_view key : keys_of_trust) {
        TrustChange change{std::string(key), canonical_member(before, key),
                           canonical_member(now, key)};
        if (change.before != change.after) changes.push_back(std::move(change));
    }
    return changes;
}

std::vector<std::string> keys_of(const std::vector<TrustChange>& changes) {
    std::vector<std::string> keys;
    for (const TrustChange& change : changes) keys.push_back(change.key);
    return keys;
}

}  // namespace chorus::agent
