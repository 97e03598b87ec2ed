// Finds, sets and removes one value of agent.json or config.json, named by a dotted key such as
// "permissions.ci", without losing anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/keys.hpp"

namespace chorus::agent {

struct KeyPlace {
    const Key* key = nullptr;
    File file = File::home;
    KeyType type = KeyType::any;     // of the value
    std::vector<std::string> names;  // the key and the members below it
    std::string dotted() const;
};
// Returns nothing if the table has no such value.
std::optional<KeyPlace> find_place(std::string_view dotted, File file);
// The shortest unknown prefix of the name, and the full names that are known in its place.
struct Astray {
    std::string dotted;
    std::vector<std::string> there_are;
};
Astray astray(std::string_view dotted, File file);

// Converts a command-line argument to JSON: taken as JSON if that fits the type, else as a string
// if the type accepts one. check_place refuses what fits neither way. Error(bad_request) for text
// that is not UTF-8 or has a key twice.
std::string value_json(std::string_view given, const KeyPlace& place);
// Throws Error(config_invalid) if the value is not of the place's type.
void check_place(const KeyPlace& place, std::string_view json, std::string_view what);

// `text` is the file's text and `what` its name in errors: Error(config_invalid) if it is not a
// JSON object. Returns JSON; nothing if the value is absent or null.
std::optional<std::string> find_value(std::string_view text, const KeyPlace& place,
                                      std::string_view what);
// Error(bad_request) if a name on the path is not an object.
std::string with_value(std::string_view text, const KeyPlace& place, std::string_view json,
                       std::string_view what);
std::string without_value(std::string_view text, const KeyPlace& place, std::string_view what);

}  // namespace chorus::agent
