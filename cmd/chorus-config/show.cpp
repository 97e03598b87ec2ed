// The verbs get and list: values in force and their origin.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "chat/dialect.hpp"
#include "chat/json.hpp"
#include "chorus-config/subject.hpp"
#include "cli/main.hpp"
#include "life/trust.hpp"

namespace chorus::config {
namespace {

using agent::File;
using agent::KeyPlace;
using base::ExitStatus;
using chat::Json;

struct Value {
    std::string json;  // "" for none
    std::string origin;
};

// The parts of the files that are in force.
struct Files {
    std::string home;
    std::string agent;                          // "" without an agent
    std::vector<agent::TrustChange> untrusted;  // changes not in force
};

Files read_files(Subject& subject) {
    if (!subject.agent) return {subject.text, {}, {}};
    Files files{agent::configuration_text(subject.home), subject.text, {}};
    const std::string part = life::trusted_part(*subject.store, subject.agent->id);
    if (part.empty()) return files;
    files.untrusted = agent::trust_changes(part, subject.text);
    files.agent = agent::with_trust_part(subject.text, part);
    return files;
}

// Refuses the files that a turn would refuse, so that no value is shown as in force that is not.
void check_files(const Subject& subject, const Files& files) {
    (void)agent::parse_home_configuration(files.home, subject.home.config());
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

bool is_untrusted(const Files& files, std::string_view key) {
    for (const agent::TrustChange& change : files.untrusted)
        if (change.key == key) return true;
    return false;
}

struct Row {
    const agent::Key* key;
    KeyPlace place;
    Value value;
};

std::vector<Row> rows_of(const Call& call, const Subject& subject, const Files& files,
                         const sys::Environment& environment) {
    std::vector<Row> rows;
    for (const agent::Key& key : agent::keys()) {
        const auto place = agent::find_place(key.name, call.file());
        if (place) rows.push_back({&key, *place, in_force(*place, subject, files, environment)});
    }
    return rows;
}

chat::JsonText open_setting(const Subject& subject, const std::string& key) {
    chat::JsonText out = chat::open_object("setting");
    write_text(out, "file", subject.path);
    write_text(out, "agent", subject.agent ? subject.agent->name : "");
    write_text(out, "key", key);
    return out;
}

void print_json(const Subject& subject, const Files& files, const Row& row) {
    chat::JsonText out = open_setting(subject, row.place.dotted());
    write_json(out, "value", row.value.json);
    write_text(out, "origin", row.value.origin.empty() ? "unset" : row.value.origin);
    out.key("untrusted").boolean(is_untrusted(files, row.key->name));
    write_json(out, "default", built_in(row.place).json);
    write_text(out, "type", agent::expected(row.place.type));
    write_text(out, "meaning", row.key->sentence);
    std::cout << out.end_object().text() << '\n';
}

// Prints a member of the file that is not a key of Chorus.
void print_unknown(const Subject& subject, const std::string& key) {
    chat::JsonText out = open_setting(subject, key);
    write_json(out, "value", chat::dump(chat::parse_json(subject.text, subject.path).at(key)));
    write_text(out, "origin", subject.agent ? "agent.json" : "config.json");
    out.key("untrusted").boolean(false).key("default").null().key("type").null();
    std::cout << out.key("meaning").null().end_object().text() << '\n';
}

void print_columns(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        std::string line(row.key->name);
        line.resize(std::max<std::size_t>(line.size(), 18), ' ');
        line += "  " + (row.value.origin.empty() ? "unset" : row.value.origin);
        line.resize(std::max<std::size_t>(line.size(), 32), ' ');
        if (!row.value.json.empty())
            line += "  " + base::visible(plain(row.value.json), base::Newlines::escape);
        std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
}

void print_notices(const Subject& subject, const Files& files) {
    if (const auto names = unknown_keys(subject); !names.empty())
        cli::print_line(program, "notice",
                        subject.path + ": not keys of this file: " + base::quoted_list(names));
    if (files.untrusted.empty()) return;
    std::vector<std::string> names;
    for (const agent::TrustChange& change : files.untrusted) names.push_back(change.key);
    cli::print_line(program, "notice",
                    subject.path + ": changed and not trusted: " + base::quoted_list(names) +
                        "; see chorus-config trust " + subject.agent->name + " --show");
}

}  // namespace

ExitStatus get(const Call& call, const sys::Environment& environment) {
    const KeyPlace place = require_place(call);
    Subject subject = open_to_read(call, environment);
    const Files files = read_files(subject);
    check_files(subject, files);
    const Value value = in_force(place, subject, files, environment);
    if (call.json) {
        print_json(subject, files, {place.key, place, value});
    } else if (!value.json.empty()) {
        const std::string text = plain(value.json);
        std::cout << (isatty(STDOUT_FILENO) == 1 ? base::visible(text) : text) << '\n';
    }
    return ExitStatus::done;
}

ExitStatus list(const Call& call, const sys::Environment& environment) {
    Subject subject = open_to_read(call, environment);
    const Files files = read_files(subject);
    check_files(subject, files);
    const auto rows = rows_of(call, subject, files, environment);
    if (call.json) {
        for (const Row& row : rows) print_json(subject, files, row);
        for (const std::string& key : unknown_keys(subject)) print_unknown(subject, key);
    } else {
        print_columns(rows);
        print_notices(subject, files);
    }
    return ExitStatus::done;
}

}  // namespace chorus::config
