// One value of agent.json or config.json, named by a dotted key such as "permissions.ci": found,
// set and removed without losing anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/keys.hpp"

namespace chorus::agent {

struct Place {
    const Key* key = nullptr;
    File file = File::home;
    KeyType type = KeyType::any;     // of the value
    std::vector<std::string> names;  // the key's, and below it
    std::string dotted() const;
};
// Nothing where the table knows no such value.
std::optional<Place> find_place(std::string_view dotted, File file);
// What there is where the name goes astray, in full, and the name up to there.
struct Astray {
    std::string dotted;
    std::vector<std::string> there_are;
};
Astray astray(std::string_view dotted, File file);

// As typed on a command line: JSON where that fits the type, else the text itself where a text
// does. What fits neither way is left for check_place to refuse. Error(bad_request) for what is not
// UTF-8 or has a key twice.
std::string value_json(std::string_view given, const Place& place);
// Throws Error(config_invalid) where the value is not of the place's type.
void check_place(const Place& place, std::string_view json, std::string_view what);

// `text` is the file's, `what` its name in errors: Error(config_invalid) where it is no JSON
// object. JSON; nothing where it is absent or null.
std::optional<std::string> find_value(std::string_view text, const Place& place,
                                      std::string_view what);
// Error(bad_request) where something other than an object stands on the way.
std::string with_value(std::string_view text, const Place& place, std::string_view json,
                       std::string_view what);
std::string without_value(std::string_view text, const Place& place, std::string_view what);

}  // namespace chorus::agent
