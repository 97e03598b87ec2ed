// The verb login: checks a key and stores it in a credential profile.
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chorus-config/credentials.hpp"
#include "cli/terminal_question.hpp"
#include "life/known_models.hpp"
#include "model/choice.hpp"
#include "model/listing.hpp"
#include "place/in_force.hpp"
#include "place/served.hpp"
#include "store/profiles.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/named_file.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

constexpr std::int64_t ask_key_ms = 600'000;

struct Login : Printing {
    explicit Login(cli::Command& verb) {
        verb.word("PROVIDER", provider, "the provider that the key is for").required();
        verb.option("--profile NAME", profile,
                    "the credential profile; without it, one named as the provider");
        verb.flag("--no-check", no_check, "store the key without asking the provider");
    }

    std::string read_given_key() const {
        if (isatty(STDIN_FILENO) != 1) return sys::read_input_file("-", base::limits::config_bytes);
        const auto key = cli::ask_secret("Key for " + provider + ": ", ask_key_ms, interruptible());
        if (!key) throw Error(ErrorCode::input_required, "login: no key was typed");
        return *key;
    }

    void run(Begun& begun) const {
        const std::string name = profile.empty() ? provider : profile;
        life::Credential credential{.name = name, .provider = provider};
        Subject subject = open_to_change(begun, "");
        const model::Catalog catalog = life::load_catalog(*subject.store, begun.home);
        if (!catalog.require_provider(provider).needs_key)
            throw Error(ErrorCode::bad_request, "login: " + provider + " needs no key");
        credential.value = life::only_line(read_given_key(), "the key");
        if (const std::string why = life::credential_problem(credential); !why.empty())
            throw Error(ErrorCode::bad_request, "login: " + why);
        const std::optional<model::Listing> listing =
            no_check ? std::nullopt : std::optional(check(begun, catalog, credential));
        lock(subject);
        auto credentials = life::load_credentials(begun.home);
        const auto found =
            std::find_if(credentials.begin(), credentials.end(),
                         [&](const life::Credential& one) { return one.name == name; });
        if (found == credentials.end())
            credentials.push_back(credential);
        else if (found->provider != provider || found->source != life::KeySource::key)
            throw Error(ErrorCode::exists,
                        "login: there is a profile " + base::quoted(name) +
                            " with another provider or another source of its key",
                        "chorus-config login " + provider + " --profile NAME");
        else
            *found = credential;
        write_credentials(begun.home, credentials);
        if (listing && !listing->models.empty())
            sys::write_file(begun.home.available_models(),
                            model::with_listing(agent::available_models_text(begun.home), provider,
                                                true, *listing, sys::now_ms()),
                            0600);
        store::Transaction transaction(*subject.store);
        store::end_cooldown(*subject.store, name);
        transaction.commit();
        notice("profile " + name + " has the key" + (no_check ? "" : ", which the provider takes"));
    }

    model::Listing check(const Begun& begun, const model::Catalog& catalog,
                         const life::Credential& credential) const {
        model::Endpoint endpoint = place::endpoint_for(
            provider + "/", agent::load_home_configuration(begun.home), catalog, begun.environment);
        endpoint.key = [&] { return credential.value; };
        model::Listing asked =
            place::ask_provider(endpoint, begun.environment, sys::Interrupt::install());
        if (asked.failure)
            throw Error(model::error_code(asked.failure->category),
                        "login: " + asked.failure->message,
                        "nothing was stored; --no-check stores the key without asking");
        return asked;
    }

    std::string provider;
    std::string profile;
    bool no_check = false;
};

}  // namespace

void write_credentials(const agent::Home& home, const std::vector<life::Credential>& credentials) {
    write_private(home.credentials(), life::credentials_text(credentials));
}

const cli::Verb login_verb =
    verb<Login>("login", "check a provider's key and keep it in a credential profile");

}  // namespace chorus::command
