// The verb models: what can be used now, and what it costs.
#include <algorithm>

#include "agent/configuration.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-config/subject.hpp"
#include "life/credentials.hpp"
#include "life/known_models.hpp"
#include "place/served.hpp"
#include "store/profiles.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

using place::Served;

// Micro-dollars as dollars: "4", "0.0375".
std::string dollars(std::int64_t micro) {
    constexpr std::size_t places = 6;
    std::string digits = std::to_string(micro);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return digits;
}

void write_price(chat::JsonText& out, const model::Price& price) {
    out.key("input").raw(dollars(price.input));
    out.key("output").raw(dollars(price.output));
    for (const auto& [key, value] :
         {std::pair("cache_read", price.cache_read), {"cache_write", price.cache_write}})
        out.key(key).raw(value ? dollars(*value) : "null");
}

std::string price_json(const std::vector<model::Price>& prices) {
    if (prices.empty()) return "null";
    chat::JsonText out;
    out.begin_object();
    write_price(out, prices.front());
    out.key("tiers").begin_array();
    for (auto tier = prices.begin() + 1; tier != prices.end(); ++tier) {
        out.begin_object().key("above_tokens").raw(std::to_string(tier->above_tokens));
        write_price(out, *tier);
        out.end_object();
    }
    return out.end_array().end_object().take();
}

// "$4 in, $20 out", for a million tokens.
std::string price_text(const std::vector<model::Price>& prices) {
    if (prices.empty()) return {};
    return "$" + dollars(prices.front().input) + " in, $" + dollars(prices.front().output) +
           " out" +
           (prices.size() > 1 ? ", more above " + std::to_string(prices[1].above_tokens) : "");
}

struct Models : Printing {
    explicit Models(cli::Command& verb) {
        verb.word("PROVIDER", provider,
                  "only the models of this provider, whether or not it can be used");
        verb.flag(
            "--refresh", refresh,
            "ask each provider that has a key, and the local servers, and keep their answers");
    }

    Fields fields(const Served& served, const std::string& name, const model::ModelFacts& facts,
                  const std::string& preferred) const {
        const std::string price = price_text(facts.prices);
        const bool is_default = name == preferred;
        return {{"name", name},
                {"provider", served.provider.name},
                {"usable", served.is_usable},
                {"is_default", is_default, is_default ? "default" : ""},
                {"context_tokens", cli::number(facts.context_tokens, 0)},
                {"max_output_tokens", cli::number(facts.max_output_tokens, 0)},
                {"input", facts.input},
                {"price", cli::Json{price_json(facts.prices)}, price},
                {"priced_on", facts.prices.empty() ? std::string() : facts.read},
                {"retires", facts.retires}};
    }

    void print(const std::vector<Served>& all, const model::Catalog& catalog,
               const std::string& preferred) const {
        const cli::Table for_people("model", {{"name", "MODEL", cli::Fit::gives_way},
                                              {"context_tokens", "CONTEXT", cli::Fit::right},
                                              {"price", "PRICE OF 1,000,000 TOKENS"},
                                              {"is_default"}});
        const cli::Table for_scripts("model",
                                     {{"name"}, {"context_tokens"}, {"price"}, {"is_default"}});
        std::vector<Fields> rows;
        for (const Served& served : all) {
            if (!served.is_usable && provider.empty()) continue;
            for (const std::string& name : served.models)
                rows.push_back(fields(served, name, catalog.facts(name), preferred));
        }
        const Form form = cli::form_of_stdout(json);
        (form == Form::terminal ? for_people : for_scripts).print(rows, form);
    }

    // Says why a provider cannot be used. Returns the status of a failure that was not to be
    // expected: a local server need not run.
    ExitStatus report(const Served& served) const {
        if (!served.asked || !served.asked->failure) {
            if (!served.is_usable && !provider.empty())
                notice(provider + ": no key: " + served.provider.key_variable + " is not set");
            return ExitStatus::done;
        }
        if (!served.provider.needs_key && provider.empty()) return ExitStatus::done;
        notice(served.asked->failure->message);
        return base::exit_status(model::error_code(served.asked->failure->category));
    }

    // Keeps what a provider listed, and that its key is not valid; another failure changes nothing.
    void keep(const Begun& begun, const std::vector<Served>& all) const {
        Subject subject = open_to_change(begun, "");
        lock(subject);
        const std::string before = agent::available_models_text(begun.home);
        std::string text = before;
        for (const Served& served : all) {
            if (!served.asked) continue;
            const auto& failure = served.asked->failure;
            if (failure && failure->category != model::Category::unauthorized) continue;
            text = model::with_listing(text, served.provider.name, !failure, *served.asked,
                                       sys::now_ms());
        }
        if (text != before) sys::write_file(begun.home.available_models(), text, 0600);
    }

    static model::AvailableModels listed(const Begun& begun) {
        return model::parse_available_models(agent::available_models_text(begun.home));
    }

    // Returns the key of the active profile, else the variable's.
    static std::string key_of(const Begun& begun, const std::vector<life::Credential>& credentials,
                              const model::Provider& provider) {
        const store::ProfileRing ring{provider.name, life::profiles_of(credentials, provider.name)};
        if (ring.names.empty()) return begun.environment.get(provider.key_variable);
        store::Store store = open_store(begun);
        const std::string active = store::active_profile(store, ring);
        return life::read_key(*life::find_credential(credentials, active), begun.environment).text;
    }

    ExitStatus run(Begun& begun) const {
        // what is about to be replaced may be broken
        model::Catalog catalog =
            refresh ? life::load_own_catalog(begun.home) : life::load_catalog(begun.home);
        const agent::HomeConfiguration home = agent::load_home_configuration(begun.home);
        const auto credentials = life::load_credentials(begun.home);
        const place::KnownKeys keys{
            .place =
                [&](const model::Provider& one) {
                    return life::place_of_key(one, credentials, begun.environment);
                },
            .read = [&](const model::Provider& one) { return key_of(begun, credentials, one); }};
        const auto all =
            place::served(catalog, refresh ? model::AvailableModels() : listed(begun), home, keys,
                          begun.environment, provider,
                          refresh ? place::Ask::all : place::Ask::local, sys::Interrupt::install());
        if (refresh) {
            keep(begun, all);
            catalog = life::load_catalog(begun.home);
        }
        const auto found = model::default_model(catalog, keys.place);
        print(all, catalog,
              !home.default_model.empty() ? home.default_model
              : found                     ? found->model
                                          : "");
        ExitStatus status = ExitStatus::done;
        for (const Served& served : all)
            if (const ExitStatus own = report(served); status == ExitStatus::done) status = own;
        return status;
    }

    std::string provider;
    bool refresh = false;
};

}  // namespace

const cli::Verb models_verb =
    verb<Models>("models", "list the models that can be used, and their prices", json_lines);

}  // namespace chorus::command
