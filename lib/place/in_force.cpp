#include "place/in_force.hpp"

#include <algorithm>

#include "agent/home.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "life/credentials.hpp"
#include "life/named_path.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"
#include "sys/git_config.hpp"
#include "sys/person.hpp"

namespace chorus::place {
namespace {

using base::Error;
using base::ErrorCode;

// A positive number never becomes 0, which would mean no limit.
std::int64_t four_fifths(std::int64_t whole) {
    return whole <= 0 ? 0 : std::max<std::int64_t>(whole / 10 * 8 + whole % 10 * 8 / 10, 1);
}

agent::HomeConfiguration::ProviderSettings provider_settings(const std::string& provider,
                                                             const agent::HomeConfiguration& home) {
    const auto configured = home.providers.find(provider);
    if (configured == home.providers.end()) return {};
    return configured->second;
}

constexpr const char* own_budget = "budget.";
constexpr const char* home_budget = "limits.budget.";

SpendingLimit limit_of(const std::optional<std::int64_t>& most, const std::string& named) {
    return {most, most ? named : ""};
}

SpendingLimit lower(SpendingLimit one, SpendingLimit other) {
    if (!one.most || (other.most && *other.most < *one.most)) return other;
    return one;
}

SpendingLimits spending_limits(const std::optional<std::int64_t>& max_usd, const agent::Budget& own,
                               const agent::Budget& general, const agent::Budget& most) {
    const auto either = [&](auto member, const char* key) {
        return limit_of((own.*member) ? own.*member : general.*member,
                        own_budget + std::string(key));
    };
    const auto cap = [&](auto member, const char* key) {
        return limit_of(most.*member, home_budget + std::string(key));
    };
    SpendingLimits limits;
    limits.turn_usd = lower(max_usd ? limit_of(max_usd, "--max-usd")
                                    : either(&agent::Budget::usd_per_turn, "usd_per_turn"),
                            cap(&agent::Budget::usd_per_turn, "usd_per_turn"));
    limits.agent_day_usd = either(&agent::Budget::usd_per_day, "usd_per_day");
    limits.agent_day_tokens = either(&agent::Budget::tokens_per_day, "tokens_per_day");
    limits.home_day_usd = cap(&agent::Budget::usd_per_day, "usd_per_day");
    limits.home_day_tokens = cap(&agent::Budget::tokens_per_day, "tokens_per_day");
    return limits;
}

std::optional<std::int64_t> max_usd_of(const store::Turn& turn) {
    const chat::Json options = chat::parse_json(store::options_json(turn), "turn options");
    if (!options.contains("max_usd")) return std::nullopt;
    return chat::integer_or(options, "max_usd");
}

void require_prices(const Settings& settings, const model::Catalog& catalog) {
    const SpendingLimits* paid = settings.spending.has_usd() ? &settings.spending : nullptr;
    for (const SpendingAbove& above : settings.spending_above)
        if (paid == nullptr && above.limits.has_usd()) paid = &above.limits;
    if (paid == nullptr) return;
    std::string unknown;
    if (settings.endpoint.facts.prices.empty())
        unknown = settings.model;
    else if (!settings.fallback_model.empty() &&
             catalog.facts(settings.fallback_model).prices.empty())
        unknown = settings.fallback_model;
    if (unknown.empty()) return;
    const SpendingLimits& limits = *paid;
    const std::string& named = limits.turn_usd.most        ? limits.turn_usd.named
                               : limits.agent_day_usd.most ? limits.agent_day_usd.named
                                                           : limits.home_day_usd.named;
    throw Error(ErrorCode::config_invalid,
                named + ": dollars cannot be counted: no price is known for " + unknown,
                "give it one in models.json (chorus-models(7)), or limit tokens: "
                "budget.tokens_per_turn, budget.tokens_per_day");
}

// A value of a model's options, and the option or key that sets it.
template <typename Value>
struct Chosen {
    std::optional<Value> value;
    std::string named;
};

// Refuses what the model is known not to take; a fallback model goes on without it.
class OptionsCheck {
  public:
    OptionsCheck(const Settings& settings, bool is_fallback)
        : model_(settings.model), facts_(settings.endpoint.facts), is_fallback_(is_fallback) {}

    void effort(Chosen<std::string>& chosen) const {
        if (chosen.value.value_or("").empty() || !facts_.effort) return;
        const auto& levels = *facts_.effort;
        if (levels.empty()) return refuse(chosen, "takes no effort of reasoning");
        if (std::find(levels.begin(), levels.end(), *chosen.value) == levels.end())
            refuse(chosen, "takes no effort " + base::quoted(*chosen.value),
                   "it takes " + base::join(levels, ", "));
    }
    void max_tokens(Chosen<std::int64_t>& chosen) const {
        const std::int64_t most = facts_.max_output_tokens;
        if (chosen.value && most > 0 && *chosen.value > most)
            refuse(chosen, "answers with at most " + base::counted(most, "token"));
    }
    void temperature(Chosen<double>& chosen) const {
        if (chosen.value && !facts_.takes_temperature) refuse(chosen, "takes no temperature");
    }

  private:
    template <typename Value>
    void refuse(Chosen<Value>& chosen, const std::string& why, const std::string& hint = {}) const {
        if (is_fallback_) {
            chosen.value.reset();
            return;
        }
        const bool is_option = chosen.named.starts_with("--");
        throw Error(is_option ? ErrorCode::bad_request : ErrorCode::config_invalid,
                    chosen.named + ": " + model_ + " " + why, hint);
    }

    const std::string& model_;
    const model::ModelFacts& facts_;
    bool is_fallback_;
};

void choose_model_options(Settings& settings, const TurnOptions& options,
                          const agent::ModelOptions& own, const agent::ModelOptions& general) {
    const agent::ModelOptions& given = options.model_options;
    const auto choose = [&]<typename Value>(std::optional<Value> agent::ModelOptions::*member,
                                            const char* option, const char* key) {
        if (given.*member) return Chosen<Value>{given.*member, option};
        return Chosen<Value>{own.*member ? own.*member : general.*member,
                             "model_options." + std::string(key)};
    };
    auto effort = choose(&agent::ModelOptions::effort, "--effort", "effort");
    auto tokens = choose(&agent::ModelOptions::max_tokens, "--max-tokens", "max_tokens");
    auto heat = choose(&agent::ModelOptions::temperature, "--temperature", "temperature");
    const OptionsCheck check(settings, options.has_fallen_back);
    check.effort(effort);
    check.max_tokens(tokens);
    check.temperature(heat);
    settings.effort = effort.value.value_or("");
    settings.temperature = heat.value;
    if (tokens.value) settings.max_output_tokens = *tokens.value;
}

std::string full_name(const std::string& wanted, const model::Catalog& catalog,
                      const agent::Home& paths, model::Check check) {
    return model::resolve_model(
        wanted, catalog, model::parse_available_models(agent::available_models_text(paths)), check);
}

void choose_model(Settings& settings, const TurnOptions& options,
                  const sys::Environment& environment, const agent::Configuration& agent,
                  const agent::HomeConfiguration& home, const model::Catalog& catalog,
                  const agent::Home& paths) {
    const std::string wanted = !options.model.empty()            ? options.model
                               : environment.has("CHORUS_MODEL") ? environment.get("CHORUS_MODEL")
                               : !agent.model.empty()            ? agent.model
                                                                 : home.default_model;
    if (options.replay) {
        settings.model = options.model;
        settings.asked_model = options.replay->model();
        return;
    }
    const std::string fallback =
        !options.fallback_model.empty()
            ? options.fallback_model
            : agent.shared.fallback_model.value_or(home.shared.fallback_model.value_or(""));
    const auto check_of = [&](const std::string& option) {
        return option.empty() || options.names_are_full ? model::Check::none : model::Check::known;
    };
    const std::string second =
        fallback.empty() ? ""
                         : full_name(fallback, catalog, paths, check_of(options.fallback_model));
    if (options.has_fallen_back && !second.empty()) {
        settings.model = settings.asked_model = second;
        return;
    }
    settings.model = full_name(wanted, catalog, paths, check_of(options.model));
    settings.asked_model = settings.model;
    if (second != settings.model) settings.fallback_model = second;
}

}  // namespace

sys::Sandbox command_sandbox(store::Store& store, const agent::Home& paths,
                             const agent::HomeConfiguration& home, sys::SandboxMode mode,
                             const std::string& workspace, const agent::Directory& directory,
                             const std::string& agent_name, const sys::Environment& environment) {
    std::map<std::string, std::string> readable;
    for (const std::string& path : home.sandbox_read)
        readable[path] = life::named_path(store, paths, ErrorCode::config_invalid,
                                          "config.json: sandbox_read", path);
    // they may be in the workspace, or below sandbox_read
    std::vector<std::string> masked{paths.path()};
    for (const life::Credential& credential : life::load_credentials(paths))
        if (credential.source == life::KeySource::key_file) masked.push_back(credential.value);
    return {
        .mode = mode,
        .workspace = workspace,
        .readable = std::move(readable),
        .masked = std::move(masked),
        .program = home.bwrap,
        .shell = home.bash,
        .belongings = directory.commands(),
        .git_settings = sys::git_settings(agent_name, agent_name + "@chorus.local", environment)};
}

std::vector<std::string> environment_in_force(const agent::Configuration& agent,
                                              const agent::HomeConfiguration& home) {
    std::vector<std::string> names = home.shared.environment;
    const auto& own = agent.shared.environment;
    names.insert(names.end(), own.begin(), own.end());
    if (!home.limits.environment) return names;
    std::erase_if(names, [&](const std::string& name) {
        const auto& allowed = *home.limits.environment;
        return std::find(allowed.begin(), allowed.end(), name) == allowed.end();
    });
    return names;
}

std::int64_t window_in_force_ms(const agent::Shared& own, const agent::Shared& general) {
    return own.rolling_window_ms.value_or(general.rolling_window_ms.value_or(86'400'000));
}

std::int64_t idle_timeout_in_force_ms(const agent::Shared& own, const agent::Shared& general,
                                      const sys::Environment& environment) {
    if (const auto given = environment.find_ms("CHORUS_IDLE_TIMEOUT_MS")) return *given;
    return own.idle_timeout_ms.value_or(general.idle_timeout_ms.value_or(1'800'000));
}

void bound_by_those_above(Settings& settings, store::Store& store,
                          const std::vector<AgentAbove>& agents,
                          const agent::HomeConfiguration& home, const model::Catalog& catalog) {
    const agent::Budget& general = home.shared.budget;
    const agent::Budget& most = home.limits.budget;
    for (const AgentAbove& agent : agents) {
        const auto turn = agent.turn == 0 ? std::nullopt : store::find_turn(store, agent.turn);
        const bool waits = turn && turn->ended_at == 0;
        SpendingAbove above{.agent = agent.id,
                            .turn = waits ? turn->id : 0,
                            .limits = spending_limits(waits ? max_usd_of(*turn) : std::nullopt,
                                                      agent.budget, general, most)};
        above.turn_tokens =
            lower(limit_of(agent.budget.tokens_per_turn ? agent.budget.tokens_per_turn
                                                        : general.tokens_per_turn,
                           own_budget + std::string("tokens_per_turn")),
                  limit_of(most.tokens_per_turn, home_budget + std::string("tokens_per_turn")));
        settings.spending_above.push_back(std::move(above));
    }
    require_prices(settings, catalog);
}

Settings resolve_settings(const TurnOptions& options, const sys::Environment& environment,
                          const agent::Configuration& agent, const agent::HomeConfiguration& home,
                          const model::Catalog& catalog, const agent::Home& paths) {
    const agent::Shared& own = agent.shared;
    const agent::Shared& general = home.shared;
    Settings settings;
    choose_model(settings, options, environment, agent, home, catalog, paths);
    settings.endpoint = endpoint_for(settings.asked_model, home, catalog, environment);
    settings.rolling_window_ms = window_in_force_ms(own, general);
    settings.max_iterations = options.max_iterations.value_or(
        own.max_iterations.value_or(general.max_iterations.value_or(25)));
    settings.max_messages = own.max_messages.value_or(general.max_messages.value_or(0));
    model::ModelFacts& facts = settings.endpoint.facts;
    const auto context = own.context_tokens ? own.context_tokens : general.context_tokens;
    settings.token_budget = four_fifths(context.value_or(facts.prompt_tokens()));
    if (context) facts.context_tokens = *context;
    settings.auto_compact = own.auto_compact.value_or(general.auto_compact.value_or(false));
    settings.parallel_tools = own.parallel_tools.value_or(general.parallel_tools.value_or(4));
    settings.max_subagents = own.max_subagents.value_or(general.max_subagents.value_or(4));
    settings.tokens_per_turn =
        own.budget.tokens_per_turn.value_or(general.budget.tokens_per_turn.value_or(0));
    settings.sandbox = agent::sandbox_in_force(agent, home);
    settings.environment_names = environment_in_force(agent, home);
    if (const auto most = home.limits.budget.tokens_per_turn)
        settings.tokens_per_turn =
            settings.tokens_per_turn > 0 ? std::min(settings.tokens_per_turn, *most) : *most;
    settings.spending =
        spending_limits(options.max_usd, own.budget, general.budget, home.limits.budget);
    require_prices(settings, catalog);
    settings.max_output_tokens =
        provider_settings(model::parse_model_name(settings.asked_model).provider, home)
            .max_output_tokens;
    if (settings.max_output_tokens == 0)
        settings.max_output_tokens = model::required_output_tokens(settings.endpoint);
    choose_model_options(settings, options, own.model_options, general.model_options);
    return settings;
}

namespace {

void use_configured(model::Provider& provider,
                    const agent::HomeConfiguration::ProviderSettings& own) {
    if (own.key_header.empty() && own.headers.empty() && own.query.empty()) return;
    if (!own.key_header.empty()) provider.key_header = own.key_header;
    for (const auto& [name, value] : own.headers) provider.headers[name] = value;
    for (const auto& [name, value] : own.query) provider.query[name] = value;
    model::check_provider(provider, "config.json: providers." + provider.name);
}

// The user part may contain a password.
std::string without_user(std::string url) {
    const auto user = base::user_of_url(url);
    if (!user) return url;
    return url.erase(static_cast<std::size_t>(user->data() - url.data()), user->size() + 1);
}

}  // namespace

model::Endpoint endpoint_for(const std::string& model, const agent::HomeConfiguration& home,
                             const model::Catalog& catalog, const sys::Environment& environment) {
    const std::string provider = model::parse_model_name(model).provider;
    model::Endpoint endpoint;
    endpoint.provider = catalog.require_provider(provider);
    endpoint.facts = catalog.facts(model);
    const agent::HomeConfiguration::ProviderSettings own = provider_settings(provider, home);
    endpoint.timeouts.first_byte_ms = own.first_byte_ms.value_or(home.limits.first_byte_ms);
    endpoint.timeouts.stall_ms = own.stall_ms.value_or(home.limits.stall_ms);
    endpoint.base_url = own.base_url;
    use_configured(endpoint.provider, own);
    endpoint.anthropic_version = own.api_version;
    std::string named = "config.json: providers." + provider + ".base_url";
    if (const auto given = environment.find(model::base_url_variable(provider))) {
        endpoint.base_url = *given;
        named = model::base_url_variable(provider);
    }
    if (const std::string why = model::base_url_problem(endpoint.base_url);
        !endpoint.base_url.empty() && !why.empty())
        throw Error(ErrorCode::config_invalid,
                    named + ": " + base::quoted(without_user(endpoint.base_url)) + ": " + why);
    // no installed row has a plain address that is not of this machine
    endpoint.trusted_http =
        !endpoint.base_url.empty() || endpoint.provider.base_url.starts_with("http://");
    return endpoint;
}

void check_providers(const agent::HomeConfiguration& home, const model::Catalog& catalog,
                     const std::string& provider) {
    const sys::Environment none{std::map<std::string, std::string>()};
    for (const auto& [name, unused] : home.providers) {
        if (!provider.empty() && provider != name) continue;
        if (!catalog.has_provider(name))
            throw Error(ErrorCode::config_invalid,
                        "config.json: providers: no provider " + base::quoted(name),
                        "providers are " + base::quoted_list(catalog.provider_names()));
        (void)endpoint_for(name + "/", home, catalog, none);
    }
}

net::Transport transport_for(const sys::Environment& environment, bool plain_http) {
    const auto either = [&](const char* one, const char* other) {
        return environment.get(one, environment.get(other));
    };
    net::Transport transport;
    transport.ca_file = either("CURL_CA_BUNDLE", "SSL_CERT_FILE");
    transport.ca_directory = environment.get("SSL_CERT_DIR");
    transport.hashed_copies = agent::find_home(environment).certificates();
    transport.https_proxy = either("https_proxy", "HTTPS_PROXY");
    transport.http_proxy = environment.get("http_proxy");
    if (transport.https_proxy.empty()) transport.https_proxy = either("all_proxy", "ALL_PROXY");
    transport.no_proxy = either("no_proxy", "NO_PROXY");
    transport.plain_http = plain_http;
    return transport;
}

sys::Person person_of(std::string_view actor) {
    constexpr std::string_view head = "uid ";
    if (actor.starts_with(head)) actor.remove_prefix(head.size());
    const auto uid = base::take_number<uid_t>(actor);
    return uid ? sys::find_person(*uid) : sys::Person{};
}

std::string actor_text(const std::string& claimed, const sys::Environment& environment) {
    const std::string name = !claimed.empty() ? claimed : environment.get("CHORUS_ACTOR");
    const std::string uid = "uid " + std::to_string(sys::invoking_uid(environment));
    if (name.empty()) return uid;
    std::vector<std::string> names;
    for (const auto& [variable, value] : environment.all()) names.push_back(variable);
    const auto secrets = secrets_of(agent::find_home(environment), environment, names);
    return uid + " (" + base::visible(secrets.apply(name), base::Newlines::escape) + ")";
}

}  // namespace chorus::place
