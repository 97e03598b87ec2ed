// The verbs set and unset.
#include <algorithm>

#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chorus-config/subject.hpp"
#include "life/known_models.hpp"
#include "life/trust.hpp"
#include "model/choice.hpp"
#include "model/model.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "policy/profile.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/named_file.hpp"

namespace chorus::command {
namespace {

constexpr std::size_t names_shown = 5;

const char* file_name(agent::File file) {
    return file == agent::File::agent ? "agent.json" : "config.json";
}

std::string what_there_is(const OfKey& asked) {
    const agent::File other =
        asked.file() == agent::File::agent ? agent::File::home : agent::File::agent;
    if (agent::find_place(asked.key, other))
        return other == agent::File::agent ? "it is a key of agent.json: name the agent with -A"
                                           : "it is a key of config.json: leave -A out";
    const agent::Astray astray = agent::astray(asked.key, asked.file());
    const auto near = base::nearest(astray.dotted, astray.there_are, names_shown);
    if (!near.empty()) return "similar keys: " + base::quoted_list(near);
    if (astray.dotted.find('.') != std::string::npos && !astray.there_are.empty())
        return "there are " + base::quoted_list(astray.there_are);
    return "chorus-config list shows the keys";
}

// Reads stdin for "-" and FILE for "@FILE", without a newline at the end.
std::string read_value(const std::string& given) {
    if (given != "-" && !given.starts_with('@')) return given;
    std::string text =
        sys::read_input_file(given == "-" ? given : given.substr(1), base::limits::config_bytes);
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

agent::KeyPlace require_place_to_change(const OfKey& asked) {
    agent::KeyPlace place = asked.require_place();
    if (place.key->is_kept)
        throw Error(ErrorCode::bad_request,
                    std::string(place.key->name) + ": Chorus itself writes this key");
    return place;
}

// Returns the value to store: a model with its provider.
std::string with_full_model(const Subject& subject, const agent::KeyPlace& place,
                            std::string json) {
    const bool is_model = place.key->name == "model" || place.key->name == "default_model" ||
                          place.key->name == "fallback_model";
    if (!is_model || json == "null") return json;
    return chat::quoted(model::resolve_model(
        chat::parse_json(json, "set").get<std::string>(), life::load_catalog(subject.home),
        model::parse_available_models(agent::available_models_text(subject.home)),
        model::Check::known));
}

void refuse_untrusted_base(const Subject& subject, const agent::KeyPlace& place,
                           const std::string& part) {
    const auto changes = agent::trust_changes(part, subject.text);
    const bool changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
        return change.key == place.key->name;
    });
    if (changed && place.names.size() > 1)
        throw Error(
            ErrorCode::failed,
            place.dotted() + ": " + std::string(place.key->name) +
                " was changed by somebody else and is not trusted",
            "see chorus-config trust " + subject.agent->name + " --show, or set the whole key");
}

// Writes the file before the record: after a kill in between, the value is in the file and only has
// to be trusted.
void write_agent(Subject& subject, const agent::KeyPlace& place, const std::string& text,
                 const Begun& begun) {
    store::Store& store = *subject.store;
    const life::Decider person = decider(begun);
    std::string part = life::settled_trust(store, *subject.agent, subject.text, person);
    const std::string_view key = place.key->name;
    if (agent::is_trust_key(key)) {
        refuse_untrusted_base(subject, place, part);
        std::string changed = agent::with_trusted_key(part, key, text);
        life::check_grant(begun.environment, agent::load_home_configuration(begun.home), part,
                          changed);
        part = std::move(changed);
    }
    sys::write_file(subject.path, text, 0600);
    store::Transaction transaction(store);
    if (agent::is_trust_key(key)) life::decide_trust(store, *subject.agent, part, text, person);
    refresh_index(subject, agent::with_trust_part(text, part));
    transaction.commit();
}

// An agent whose profile is missing can take no turn.
void check_agents_profiles(Subject& subject, const agent::KeyPlace& place,
                           const std::string& text) {
    if (place.key->name != "permissions") return;
    const auto profiles = agent::parse_home_configuration(text, subject.path).profiles;
    for (const store::Agent& one : store::list_agents(*subject.store)) {
        const std::string& name = one.permissions;
        const bool is_changed = place.names.size() == 1 || place.names[1] == name;
        if (!is_changed || profiles.contains(name) || name == "custom" ||
            policy::Profile::preset(name))
            continue;
        throw Error(ErrorCode::config_invalid,
                    subject.path + ": permissions." + name + ": agent '" + one.name + "' uses it",
                    "chorus-config set permissions standard -A " + one.name);
    }
}

void write(Subject& subject, const agent::KeyPlace& place, const std::string& text,
           const Begun& begun) {
    check_text(subject, text);
    if (!subject.agent) check_agents_profiles(subject, place, text);
    if (subject.agent)
        write_agent(subject, place, text, begun);
    else
        write_private(subject.path, text);
    deliver_audit(subject);
}

// An agent cannot be without instructions.
void check_prompt(const agent::KeyPlace& place, const std::string& text) {
    if (place.key->name != "system_prompt" || !base::trim(text).empty()) return;
    throw Error(ErrorCode::bad_request, "system_prompt: must not be empty",
                "chorus-config set system_prompt TEXT -A NAME, or @FILE for TEXT");
}

struct Set : OfKey {
    explicit Set(cli::Command& verb) : OfKey(verb) {
        verb.word("VALUE", value, "JSON or plain text; - for stdin, @FILE for a file")
            .required()
            .may_be_empty();
    }

    void run(Begun& begun) const {
        const agent::KeyPlace place = require_place_to_change(*this);
        Subject subject = open_to_change(begun, agent);
        const bool is_text = place.key->name == "description" || place.key->name == "system_prompt";
        const std::string typed = read_value(value);
        check_prompt(place, typed);
        const std::string given = agent::value_json(
            is_text ? place::secrets_of(begun.home, begun.environment).apply(typed) : typed, place);
        agent::check_place(place, given, "set");
        const std::string full = with_full_model(subject, place, given);
        lock(subject);
        const std::string text = agent::with_value(subject.text, place, full, subject.path);
        if (place.key->name == "providers")
            place::check_providers(agent::parse_home_configuration(text, subject.path),
                                   life::load_catalog(subject.home),
                                   place.names.size() > 1 ? place.names[1] : "");
        write(subject, place, text, begun);
        if (json) print_value(begun, place);
    }

    std::string value;
};

struct Unset : OfKey {
    using OfKey::OfKey;

    void run(Begun& begun) const {
        const agent::Key unread{.name = key,
                                .type = agent::KeyType::any,
                                .in_agent = !agent.empty(),
                                .in_home = agent.empty(),
                                .fallback = {},
                                .environment = {},
                                .sentence = {}};
        const agent::KeyPlace place =
            is_unread(begun) ? agent::KeyPlace{.key = &unread, .file = file(), .names = {key}}
                             : require_place_to_change(*this);
        check_prompt(place, "");
        Subject subject = open_to_change(begun, agent);
        lock(subject);
        const std::string text = agent::without_value(subject.text, place, subject.path);
        if (text != subject.text) write(subject, place, text, begun);
        if (json) print_value(begun, place);
    }

    // Whether the file has the key, and nothing reads it.
    bool is_unread(const Begun& begun) const {
        if (agent::find_place(key, file()) || !sys::exists(begun.home.path())) return false;
        const Subject subject = open_to_read(begun, agent);
        const auto unread = agent.empty()
                                ? agent::parse_home_configuration(subject.text, subject.path).unread
                                : agent::parse_configuration(subject.text, subject.path).unread;
        return std::find(unread.begin(), unread.end(), key) != unread.end();
    }
};

}  // namespace

void write_private(const std::string& path, const std::string& text) {
    sys::write_file(sys::is_link(path) ? sys::real_path(path) : path, text, 0600);
}

agent::KeyPlace OfKey::require_place() const {
    auto place = agent::find_place(key, file());
    if (place) return std::move(*place);
    throw Error(ErrorCode::bad_request,
                base::quoted(key) + ": there is no such key in " + file_name(file()),
                what_there_is(*this));
}

const cli::Verb set_verb = verb<Set>("set", "write a value", "print JSON");
const cli::Verb unset_verb = verb<Unset>("unset", "remove a value", "print JSON");

}  // namespace chorus::command
