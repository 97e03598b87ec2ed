// Reads values of agent.json and config.json and checks them against the table of keys; for this
// room's own use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/keys.hpp"
#include "chat/json.hpp"

namespace chorus::agent {

// `key`: the place in the file.
[[noreturn]] void refuse(std::string_view what, const std::string& key, std::string_view wanted,
                         const chat::Json& found);
// Checks the value itself, not its members.
bool fits(const chat::Json& value, KeyType type);
// Checks the value and its members; null means absent. Throws Error(config_invalid).
void check_value(const chat::Json& value, KeyType type, std::string_view what,
                 const std::string& key);
// Returns the file's object after checking the type of every known key.
chat::Json checked_object(std::string_view text, std::string_view what, File file);

// Returns the keys of the object that do not belong to that file.
std::vector<std::string> unread_keys(const chat::Json& object, File file);

// These return nothing if the member is absent or null.
const chat::Json* find(const chat::Json& object, const char* key);
std::optional<std::int64_t> integer(const chat::Json& object, const char* key);
std::optional<std::int64_t> duration_ms(const chat::Json& object, const char* key);
std::vector<std::string> text_list(const chat::Json& object, const char* key);

// These require checked objects.
std::optional<sys::SandboxMode> read_sandbox(const chat::Json& object);
Budget read_budget(const chat::Json& object);
Shared read_shared(const chat::Json& object);
// Also checks the form of the patterns.
Permissions read_permissions(const chat::Json& value, const std::string& what,
                             const std::string& key);

// A file that is too long is Error(config_invalid), not a file system error.
std::optional<std::string> read_if_there(const std::string& path);

}  // namespace chorus::agent
