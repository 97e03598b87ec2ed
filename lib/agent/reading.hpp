// Checks values of agent.json and config.json against the table of keys; for this room's own use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/keys.hpp"
#include "chat/json.hpp"

namespace chorus::agent {

// `key`: the place in the file.
[[noreturn]] void refuse(std::string_view what, const std::string& key, std::string_view wanted,
                         const chat::Json& found);
// trust_part() of a parsed agent.json.
std::string trust_part_of(const chat::Json& object);
// Checks the value itself, not its members.
bool fits(const chat::Json& value, KeyType type);
// Checks the value and its members; null means absent. Throws Error(config_invalid).
void check_value(const chat::Json& value, KeyType type, std::string_view what,
                 const std::string& key);
// Null if the member is absent or null.
const chat::Json* find(const chat::Json& object, const char* key);
// Converts a value of a duration key to milliseconds.
std::int64_t milliseconds(const chat::Json& duration);

}  // namespace chorus::agent
