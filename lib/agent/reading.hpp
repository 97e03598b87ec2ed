// Values of agent.json and config.json, held against the table of keys and read; for this room's
// own use.
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

// `key`: where in the file it stands.
[[noreturn]] void refuse(std::string_view what, const std::string& key, std::string_view wanted,
                         const chat::Json& found);
// The value itself; what it holds is another question.
bool fits(const chat::Json& value, KeyType type);
// The value and all that it holds; null stands for absent. Throws Error(config_invalid).
void check_value(const chat::Json& value, KeyType type, std::string_view what,
                 const std::string& key);
// A file's object with every known key of the right type.
chat::Json checked_object(std::string_view text, std::string_view what, File file);

// The keys of the object that are none of that file's.
std::vector<std::string> unread_keys(const chat::Json& object, File file);

// Nothing where it is absent or null.
const chat::Json* find(const chat::Json& object, const char* key);
std::optional<std::int64_t> integer(const chat::Json& object, const char* key);
std::optional<std::int64_t> duration_ms(const chat::Json& object, const char* key);
std::vector<std::string> text_list(const chat::Json& object, const char* key);

// Of objects that were checked.
std::optional<sys::SandboxMode> read_sandbox(const chat::Json& object);
Budget read_budget(const chat::Json& object);
Shared read_shared(const chat::Json& object);
// Checks the patterns' form.
Permissions read_permissions(const chat::Json& value, const std::string& what,
                             const std::string& key);

// One that is too long is a wrong configuration, not a failure of the file system.
std::optional<std::string> read_if_there(const std::string& path);

}  // namespace chorus::agent
