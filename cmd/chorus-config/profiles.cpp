// The verb profiles: credential profiles, their state, and which of them is active.
#include "chorus-config/credentials.hpp"

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "life/known_models.hpp"
#include "place/in_force.hpp"
#include "place/keyring.hpp"
#include "store/profiles.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::command {
namespace {

using life::Credential;
using life::KeySource;

constexpr std::int64_t second_ms = 1'000;

store::ProfileRing ring_of(const std::vector<Credential>& credentials,
                           const std::string& provider) {
    return {provider, life::profiles_of(credentials, provider)};
}

const Credential& require_credential(const std::vector<Credential>& credentials,
                                     const std::string& name) {
    if (const Credential* found = life::find_credential(credentials, name)) return *found;
    std::vector<std::string> names;
    for (const Credential& credential : credentials) names.push_back(credential.name);
    throw Error(ErrorCode::not_found, "profiles: no profile " + base::quoted(name),
                names.empty()
                    ? "chorus-config profiles add NAME --provider PROVIDER --key-file FILE"
                    : "the profiles are " + base::quoted_list(names));
}

// Words between blanks or, for words with blanks, a JSON list.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    // an empty list is refused with the other faults of a profile
    if (text.starts_with('[')) {
        const chat::Json json =
            chat::parse_json(text, "--key-command", {}, text.size(), ErrorCode::bad_request);
        for (const chat::Json& word : json) {
            if (!word.is_string())
                throw Error(ErrorCode::bad_request, "--key-command: expected a list of words");
            words.push_back(word.get<std::string>());
        }
        return words;
    }
    for (const std::string_view word : base::split(text, ' '))
        if (!word.empty()) words.emplace_back(word);
    return words;
}

// Whether a turn sends requests to the provider; one that waits chooses its profile afterwards.
bool is_in_use(store::Store& store, const std::string& provider) {
    const auto turns = store::turns_at_work(store);
    return std::any_of(turns.begin(), turns.end(), [&](const store::Turn& turn) {
        return turn.state != store::TurnState::prompt && turn.state != store::TurnState::parked &&
               model::parse_model_name(turn.model).provider == provider &&
               sys::is_alive({turn.pid, turn.pid_start});
    });
}

std::string place_of(const Credential& credential) {
    switch (credential.source) {
        case KeySource::key:
            return "";
        case KeySource::key_command:
            return base::join(credential.command, " ");
        case KeySource::key_file:
        case KeySource::key_env:
            break;
    }
    return credential.value;
}

struct Profiles : Printing {
    explicit Profiles(cli::Command& verb) {
        verb.word("ACTION", action, "list, add, remove, switch or mode; without it, list")
            .one_of({"list", "add", "remove", "switch", "mode"});
        verb.word("NAME", name, "the profile; for mode: auto or manual");
        verb.option("--provider PROVIDER", provider, "add: the provider that the key is for");
        verb.option("--key-file FILE", key_file, "add: the file that holds the key");
        verb.option("--key-env VARIABLE", key_env, "add: the variable that holds the key");
        verb.option("--key-command COMMAND", key_command,
                    "add: a program that prints the key, and its arguments; no shell");
        verb.flag("--force", force, "switch: also cut the requests in flight");
    }

    void check_options() const {
        const bool adds = action == "add";
        for (const auto& [option, is_given, fits] :
             {std::tuple("--provider", !provider.empty(), adds),
              {"--key-file", !key_file.empty(), adds},
              {"--key-env", !key_env.empty(), adds},
              {"--key-command", !key_command.empty(), adds},
              {"--force", force, action == "switch"}})
            if (is_given && !fits)
                throw Error(ErrorCode::bad_request,
                            std::string(option) + ": not an option of profiles " + action);
        if (json && action == "mode")
            throw Error(ErrorCode::bad_request, "--json: not an option of profiles mode",
                        "chorus-config get profile_mode --json");
        if (name.empty() ? action != "list" && action != "mode" : action == "list")
            throw Error(ErrorCode::bad_request,
                        name.empty() ? "NAME: missing" : "list: takes no name",
                        "chorus-config profiles " + action + (name.empty() ? " NAME" : ""));
    }

    void print(const Begun& begun) const {
        const auto credentials = life::load_credentials(begun.home);
        if (credentials.empty()) return;
        store::Store store = open_store(begun);
        const Form form = cli::form_of_stdout(json);
        const cli::Table table("profile",
                               {{"name", "PROFILE"},
                                {"provider", "PROVIDER"},
                                {"status", "STATUS"},
                                {"cooldown_remaining_secs", "SECONDS LEFT", cli::Fit::right},
                                {"key_from", "KEY FROM"},
                                {"key_place", "", cli::Fit::gives_way}});
        const base::TimeMs now = sys::now_ms();
        std::vector<Fields> rows;
        for (const Credential& credential : credentials) {
            const auto states =
                store::profile_states(store, ring_of(credentials, credential.provider), now);
            const auto state = std::find_if(
                states.begin(), states.end(),
                [&](const store::ProfileState& one) { return one.name == credential.name; });
            const std::int64_t left_ms =
                state->cools_until == 0 ? 0 : state->cools_until - now + second_ms - 1;
            const auto requested = store::requested_switch(store, credential.provider);
            rows.push_back({{"name", credential.name},
                            {"provider", credential.provider},
                            {"status", std::string(left_ms != 0       ? "rate_limited"
                                                   : state->is_active ? "active"
                                                                      : "available")},
                            {"is_active", state->is_active},
                            {"cooldown_remaining_secs", cli::number(left_ms / second_ms, 0)},
                            {"switch_requested", requested && requested->name == credential.name},
                            {"key_from", std::string(life::key_sources.name(credential.source))},
                            {"key_place", place_of(credential)}});
        }
        table.print(rows, form);
    }

    Credential given() const {
        const int sources = !key_file.empty() + !key_env.empty() + !key_command.empty();
        if (provider.empty() || sources != 1)
            throw Error(
                ErrorCode::bad_request,
                provider.empty() ? "--provider: missing"
                                 : "expected one of '--key-file', '--key-env' and '--key-command'",
                "chorus-config profiles add " + name + " --provider PROVIDER --key-file FILE");
        Credential credential{.name = name, .provider = provider};
        if (!key_file.empty()) {
            credential.source = KeySource::key_file;
            credential.value =
                key_file.starts_with('/') ? key_file : sys::real_path(".") + "/" + key_file;
        } else if (!key_env.empty()) {
            credential.source = KeySource::key_env;
            credential.value = key_env;
        } else {
            credential.source = KeySource::key_command;
            credential.command = words_of(key_command);
        }
        return credential;
    }

    void add(const Begun& begun) const {
        const Credential credential = given();
        Subject subject = open_to_change(begun, "");
        (void)life::load_catalog(*subject.store, begun.home).require_provider(provider);
        if (const std::string why = life::credential_problem(credential); !why.empty())
            throw Error(ErrorCode::bad_request, "profiles add: " + why);
        // a key that cannot be read now, would not be when a turn needs it
        (void)life::read_key(credential, begun.environment);
        lock(subject);
        auto credentials = life::load_credentials(begun.home);
        if (life::find_credential(credentials, name))
            throw Error(ErrorCode::exists, "profiles: there is a profile " + base::quoted(name),
                        "chorus-config profiles remove " + name);
        credentials.push_back(credential);
        write_credentials(begun.home, credentials);
    }

    void remove(const Begun& begun) const {
        Subject subject = open_to_change(begun, "");
        lock(subject);
        auto credentials = life::load_credentials(begun.home);
        const Credential credential = require_credential(credentials, name);
        std::erase_if(credentials, [&](const Credential& one) { return one.name == name; });
        // in this order: what is left of a command that is killed in between is a profile whose
        // state is new
        store::Transaction transaction(*subject.store);
        store::forget_profile(*subject.store, credential.provider, name);
        transaction.commit();
        write_credentials(begun.home, credentials);
    }

    void change(const Begun& begun) const {
        Subject subject = open_to_change(begun, "");
        store::Store& store = *subject.store;
        const auto credentials = life::load_credentials(begun.home);
        const std::string& used_by = require_credential(credentials, name).provider;
        store::Transaction transaction(store);
        // whoever asks for a rate-limited profile knows more than its cooldown
        store::end_cooldown(store, name);
        const bool waits = is_in_use(store, used_by);
        const auto pending = store::requested_switch(store, used_by);
        if (waits && pending && life::find_credential(credentials, pending->name))
            throw Error(ErrorCode::switch_in_progress,
                        "profiles: a switch to " + base::quoted(pending->name) + " is in progress",
                        "it is done at the next request of a turn that runs");
        if (waits)
            store::request_switch(
                store, used_by,
                {name, force, sys::now_ms(), place::actor_text("", begun.environment)});
        else
            store::activate_profile(store, ring_of(credentials, used_by), name, sys::now_ms());
        transaction.commit();
        if (waits) notice("done at the next request of a turn that runs");
    }

    void set_mode(const Begun& begun) const {
        if (name.empty()) {
            const auto rotation = place::rotation_in_force(
                "", agent::load_home_configuration(begun.home), begun.environment);
            std::cout << (rotation.rules.is_automatic ? "auto" : "manual") << '\n';
            return;
        }
        if (!agent::profile_modes.find(name))
            throw Error(ErrorCode::bad_request, "profiles mode: expected 'auto' or 'manual'");
        Subject subject = open_to_change(begun, "");
        lock(subject);
        const std::string text =
            agent::with_members(subject.text, {{"profile_mode", chat::dump(name)}});
        check_text(subject, text);
        write_private(subject.path, text);
    }

    void run(Begun& begun) const {
        check_options();
        if (action == "list") print(begun);
        if (action == "add") add(begun);
        if (action == "remove") remove(begun);
        if (action == "switch") change(begun);
        if (action == "mode") set_mode(begun);
    }

    std::string action = "list";
    std::string name;
    std::string provider;
    std::string key_file;
    std::string key_env;
    std::string key_command;
    bool force = false;
};

}  // namespace

const cli::Verb profiles_verb =
    verb<Profiles>("profiles", "list, add, remove and switch credential profiles", json_lines);

}  // namespace chorus::command
