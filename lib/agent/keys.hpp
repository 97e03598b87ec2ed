// The tables of configuration keys and environment variables, used by checks, help and the manual.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace chorus::agent {

enum class KeyType {
    text,
    text_or_null,
    texts,     // strings by name
    channel,   // webhook:URL or command:SHELL, or null
    integer,   // whole number, not negative
    count,     // the same, not 0
    amount,    // number, not negative
    duration,  // whole seconds, or text as "10m"
    timeout,   // the same, at least a second
    boolean,
    text_list,
    variables,  // variable names
    paths,      // absolute
    names,      // a name or a list of names
    object,
    array,
    permissions,   // a profile's name or an object
    profile,       // an object
    profiles,      // profiles by name, as in config.json
    sandbox,       // workspace, workspace+net, landlock, off
    profile_mode,  // auto, manual
    sink,          // "syslog" or the absolute path of a file
    path,          // absolute
    programs,      // paths by name
    budget,
    model_options,
    temperature,  // 0 to 2
    limits,
    providers,   // each provider's settings by its name
    provider,    // one provider's settings
    name_lists,  // lists of names by name
    any,
};
// Returns the type as error messages name it, such as "a whole number".
std::string_view expected(KeyType type);

// A member of an object of some type; an empty name stands for any name.
struct Member {
    std::string_view name;
    KeyType type;
};
// Empty for types without members.
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
    bool is_kept = false;  // written only by Chorus
};

// Sorted by name.
const std::vector<Key>& keys();
const Key* find_key(std::string_view name);

bool belongs(const Key& key, File file);
// `permissions` is a profile in agent.json and profiles by name in config.json.
KeyType type_in(const Key& key, File file);
std::string_view fallback_in(const Key& key, File file);

// The environment variables that Chorus reads, for chorus-config env; those of providers are in the
// catalog of model/.
struct Variable {
    std::string_view name;
    std::string_view fallback;  // the default, "" for none or a computed one
    std::string_view sentence;
};

const std::vector<Variable>& variables();

}  // namespace chorus::agent
