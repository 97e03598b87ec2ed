// The verbs get and list: values in force and their origin.
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "chorus-config/subject.hpp"
#include "life/trust.hpp"
#include "place/keyring.hpp"
#include "place/secrets.hpp"

namespace chorus::command {
namespace {

using agent::File;
using agent::KeyPlace;
using chat::Json;

struct Value {
    std::string json;  // "" for none
    std::string origin;
};

// The parts of the files that are in force.
struct Files {
    std::string home;
    std::string agent;                   // "" without an agent
    std::vector<std::string> untrusted;  // keys whose change is not in force
};

Files read_files(Subject& subject) {
    if (!subject.agent) return {subject.text, {}, {}};
    Files files{agent::configuration_text(subject.home), subject.text, {}};
    const std::string part = life::trusted_part(*subject.store, subject.agent->id);
    if (part.empty()) return files;
    files.untrusted = agent::keys_of(agent::trust_changes(part, subject.text));
    files.agent = agent::with_trust_part(subject.text, part);
    return files;
}

// Refuses what a turn would refuse, so that no value is shown as in force that is not.
void check(const Subject& subject, const Files& files, const sys::Environment& environment) {
    const auto general = agent::parse_home_configuration(files.home, subject.home.config());
    (void)place::rotation_in_force("", general, environment);
    if (subject.agent) (void)agent::parse_configuration(files.agent, subject.path);
}

std::optional<Value> of_environment(const KeyPlace& place, const sys::Environment& environment) {
    const std::string variable(place.key->environment);
    if (variable.empty() || !environment.has(variable)) return std::nullopt;
    switch (place.type) {
        case agent::KeyType::boolean:
            if (environment.get(variable) != "1") return std::nullopt;
            return Value{"true", variable};
        case agent::KeyType::duration: {
            const std::int64_t ms = *environment.find_ms(variable);
            return Value{ms % 1000 == 0 ? std::to_string(ms / 1000)
                                        : chat::quoted(std::to_string(ms) + "ms"),
                         variable};
        }
        default:
            return Value{chat::quoted(environment.get(variable)), variable};
    }
}

// Merges the values of a key that both files contribute to: lists are joined, and members of
// agent.json override those of config.json.
std::string merged(const std::string& general, const std::string& own) {
    Json all = chat::parse_json(general, "config.json");
    const Json more = chat::parse_json(own, "agent.json");
    if (all.is_object()) all.update(more);
    if (all.is_array()) all.insert(all.end(), more.begin(), more.end());
    return chat::dump(all);
}

// Returns the value of config.json for a key of agent.json, if it has one there.
std::optional<std::string> general_value(const KeyPlace& place, const Subject& subject,
                                         const Files& files) {
    const bool is_model = place.key->name == "model";
    const auto general = agent::find_place(is_model ? "default_model" : place.dotted(), File::home);
    // `permissions` of config.json maps names to profiles
    if (!general || (!is_model && general->type != place.type)) return std::nullopt;
    return agent::find_value(files.home, *general, subject.home.config());
}

Value of_agent(const KeyPlace& place, const Subject& subject, const Files& files) {
    const auto own = agent::find_value(files.agent, place, subject.path);
    const auto general = general_value(place, subject, files);
    const bool both = place.names.size() == 1 &&
                      (place.key->name == "environment" || place.key->name == "budget");
    if (own && general && both) return {merged(*general, *own), "config.json, agent.json"};
    if (own) return {*own, "agent.json"};
    if (general) return {*general, "config.json"};
    return {};
}

Value built_in(const KeyPlace& place) {
    const std::string fallback(agent::fallback_in(*place.key, place.file));
    if (fallback.empty() || place.names.size() > 1) return {};
    const auto json = chat::try_parse_json(fallback);
    return {json ? chat::dump(*json) : chat::quoted(fallback), "built-in"};
}

Value in_force(const KeyPlace& place, const Subject& subject, const Files& files,
               const sys::Environment& environment) {
    if (place.names.size() == 1)
        if (auto value = of_environment(place, environment)) return std::move(*value);
    if (subject.agent) {
        if (Value value = of_agent(place, subject, files); !value.json.empty()) return value;
    } else if (auto value = agent::find_value(files.home, place, subject.home.config())) {
        return {std::move(*value), "config.json"};
    }
    return built_in(place);
}

// Returns a string without quotes, anything else as JSON.
std::string plain(const std::string& json) {
    const auto value = chat::try_parse_json(json);
    return value && value->is_string() ? value->get<std::string>() : json;
}

std::vector<std::string> unknown_keys(const Subject& subject) {
    std::vector<std::string> names;
    const Json object = chat::parse_json(subject.text, subject.path);
    for (const auto& [name, ignored] : object.items()) {
        const agent::Key* key = agent::find_key(name);
        if (key == nullptr || !belongs(*key, subject.agent ? File::agent : File::home))
            names.push_back(name);
    }
    return names;
}

Fields fields_of(const Subject& subject, const Files& files, const KeyPlace& place,
                 const Value& value) {
    const auto& untrusted = files.untrusted;
    const bool is_untrusted =
        std::find(untrusted.begin(), untrusted.end(), place.key->name) != untrusted.end();
    return {{"file", subject.path},
            {"agent", subject.agent ? subject.agent->name : ""},
            {"key", place.dotted()},
            {"value", cli::Json{value.json}},
            {"origin", value.origin.empty() ? "unset" : value.origin},
            {"untrusted", is_untrusted},
            {"default", cli::Json{built_in(place).json}},
            {"type", agent::expected(place.type)},
            {"meaning", place.key->sentence}};
}

// A member of the file that is not a key of Chorus.
Fields unknown_fields(const Subject& subject, const std::string& key) {
    return {{"file", subject.path},
            {"agent", subject.agent ? subject.agent->name : ""},
            {"key", key},
            {"value", cli::Json{chat::dump(chat::parse_json(subject.text, subject.path).at(key))}},
            {"origin", subject.agent ? "agent.json" : "config.json"},
            {"untrusted", false},
            {"default", {}},
            {"type", {}},
            {"meaning", {}}};
}

void print_notices(const Subject& subject, const Files& files) {
    if (const auto names = unknown_keys(subject); !names.empty())
        notice(subject.path + ": not keys of this file: " + base::quoted_list(names));
    if (files.untrusted.empty()) return;
    notice(subject.path + ": changed and not trusted: " + base::quoted_list(files.untrusted) +
           "; see chorus-config trust " + subject.agent->name + " --show");
}

struct Get : OfKey {
    using OfKey::OfKey;
    void run(Begun& begun) const { print_value(begun, require_place()); }
};

struct List : OfFile {
    explicit List(cli::Command& verb) { add_agent(verb); }

    void run(Begun& begun) const {
        Subject subject = open_to_read(begun, agent);
        const Files files = read_files(subject);
        check(subject, files, begun.environment);
        policy::Redaction redaction;
        place::add_configured_secrets(redaction, files.home);
        for (const agent::Key& key : agent::keys()) {
            const auto place = agent::find_place(key.name, file());
            if (!place) continue;
            Value value = in_force(*place, subject, files, begun.environment);
            value.json = redaction.without_active(value.json);
            cli::print(
                json, "setting", fields_of(subject, files, *place, value),
                setting_line(std::string(key.name), value.origin.empty() ? "unset" : value.origin,
                             plain(value.json), {.origin = 20, .value = 34}));
        }
        if (json)
            for (const std::string& key : unknown_keys(subject))
                cli::print(true, "setting", unknown_fields(subject, key), "");
        else
            print_notices(subject, files);
    }
};

}  // namespace

void OfKey::print_value(const Begun& begun, const KeyPlace& place) const {
    Subject subject = open_to_read(begun, agent);
    const Files files = read_files(subject);
    check(subject, files, begun.environment);
    const Value value = in_force(place, subject, files, begun.environment);
    if (!json && value.json.empty()) return;
    const std::string text = plain(value.json);
    cli::print(json, "setting", fields_of(subject, files, place, value),
               isatty(STDOUT_FILENO) == 1 ? base::visible(text) : text);
}

const cli::Verb get_verb = verb<Get>("get", "print the value in force", "print JSON");
const cli::Verb list_verb =
    verb<List>("list", "print every key with its value in force and origin", "print JSON");

}  // namespace chorus::command
