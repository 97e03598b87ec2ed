// The configuration keys: one row each, which checks, help and the manual share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

enum class KeyType {
    text,
    text_or_null,
    integer,   // whole number, not negative
    duration,  // whole seconds, or text as "10m"
    boolean,
    text_list,
    object,
    array,
    permissions,  // a profile's name or an object
    sandbox,      // workspace, workspace+net, off
};
// "a whole number", as error messages say it.
std::string_view expected(KeyType type);

struct Key {
    std::string_view name;
    KeyType type;
    bool in_agent;              // agent.json
    bool in_home;               // config.json
    std::string_view fallback;  // the built-in value, "" for none
    std::string_view environment;
    std::string_view sentence;
};

// Sorted by name.
const std::vector<Key>& keys();
const Key* find_key(std::string_view name);

}  // namespace chorus::agent
