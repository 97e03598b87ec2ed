// The configuration keys: one row each, which checks, help and the manual share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

enum class KeyType {
    text,
    text_or_null,
    channel,   // webhook:URL or command:SHELL, or null
    integer,   // whole number, not negative
    count,     // the same, not 0
    amount,    // number, not negative
    duration,  // whole seconds, or text as "10m"
    timeout,   // the same, at least a second
    boolean,
    text_list,
    variables,  // names of them
    paths,      // absolute
    names,      // a name or a list of names
    object,
    array,
    permissions,  // a profile's name or an object
    profile,      // an object
    profiles,     // those by name, as config.json has them
    sandbox,      // workspace, workspace+net, landlock, off
    sink,         // "syslog" or the absolute path of a file
    path,         // absolute
    programs,     // paths by name
    budget,
    limits,
    providers,   // each provider's settings by its name
    provider,    // those of one
    name_lists,  // names by a name
    any,
};
// "a whole number", as error messages say it.
std::string_view expected(KeyType type);

// What an object of a type holds; a member without a name stands for any name.
struct Member {
    std::string_view name;
    KeyType type;
};
// Empty for a value that holds none.
std::span<const Member> members(KeyType type);
// Null for a name that an object of this type may not have.
const Member* find_member(KeyType type, std::string_view name);

enum class File { agent, home };  // agent.json, config.json

struct Key {
    std::string_view name;
    KeyType type;
    bool in_agent;              // agent.json
    bool in_home;               // config.json
    std::string_view fallback;  // the built-in value, "" for none
    std::string_view environment;
    std::string_view sentence;
    bool is_kept = false;  // written by Chorus alone
};

// Sorted by name.
const std::vector<Key>& keys();
const Key* find_key(std::string_view name);

bool belongs(const Key& key, File file);
// `permissions` is a profile in agent.json and profiles by name in config.json.
KeyType type_in(const Key& key, File file);
std::string_view fallback_in(const Key& key, File file);

}  // namespace chorus::agent
