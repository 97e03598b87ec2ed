#include "life/plan.hpp"

#include "agent/home.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "life/credentials.hpp"
#include "life/known_models.hpp"
#include "model/choice.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using agent::Home;
using base::Error;
using base::ErrorCode;

struct ChosenModel {
    std::string model;
    std::string origin;
};

// option > (its own) > environment > config.json > template > the first provider with a key
ChosenModel choose_model(const Home& home, const sys::Environment& environment,
                         const agent::HomeConfiguration& defaults, const std::string& present,
                         SourceKind present_is, const BirthOptions& options) {
    const model::Catalog catalog = load_catalog(home);
    const auto available = model::parse_available_models(agent::available_models_text(home));
    const auto check = options.validate_model ? model::Check::listed : model::Check::none;
    const auto resolve = [&](const std::string& name) {
        return model::resolve_model(name, catalog, available, check);
    };
    if (!options.model.empty()) return {resolve(options.model), ""};
    if (present_is == SourceKind::its_own && !present.empty())
        return {resolve(present), "its agent.json"};
    if (const auto given = environment.find("CHORUS_MODEL"))
        return {resolve(*given), "CHORUS_MODEL"};
    if (!defaults.default_model.empty()) return {resolve(defaults.default_model), "config.json"};
    if (!present.empty()) return {resolve(present), "the template"};
    const auto credentials = load_credentials(home);
    const auto key_of = [&](const model::Provider& provider) {
        return place_of_key(provider, credentials, environment);
    };
    if (const auto found = model::default_model(catalog, key_of)) return {found->model, found->key};
    throw Error(ErrorCode::config_invalid, "model: no model is given and no provider's key is set",
                "export ANTHROPIC_API_KEY=… or OPENAI_API_KEY=…, or name a local server's model: "
                "--model ollama/NAME, or try everything without a model: --model builtin/script");
}

// Values from options and from config.json are decisions of this home's user.
std::map<std::string, std::string> decided_members(const agent::HomeConfiguration& defaults,
                                                   SourceKind origin, const BirthOptions& options) {
    std::map<std::string, std::string> members;
    if (options.channel) members["channel_id"] = chat::quoted(*options.channel);
    if (options.permissions)
        members["permissions"] = *options.permissions;
    else if (origin == SourceKind::of_template && !defaults.default_permissions.json.empty())
        members["permissions"] = defaults.default_permissions.json;
    return members;
}

std::string installed_template() {
    return agent::share_directory() + "/template";
}

// Returns its agent.json.
std::string installed_text() {
    return sys::read_file_if_there(installed_template() + "/agent.json", base::limits::config_bytes)
        .value_or("{}");
}

// An agent without its own system prompt gets the installed one.
std::optional<std::string> chosen_prompt(const agent::Configuration& present,
                                         const BirthOptions& options) {
    if (options.system_prompt || !base::trim(present.system_prompt).empty())
        return options.system_prompt;
    return agent::parse_configuration(installed_text(), "the installed agent.json").system_prompt;
}

bool is_same(const std::string& one, const std::string& other) {
    return sys::is_directory(one) && sys::is_directory(other) &&
           sys::real_path(one) == sys::real_path(other);
}

}  // namespace

BirthSource source_of_template(const Home& home, const std::string& directory) {
    const std::string installed = installed_template();
    BirthSource source{"", directory + "/agent.json", "{}"};
    const std::string own = sys::read_file(source.name, base::limits::config_bytes);
    (void)agent::parse_configuration(own, source.name);
    source.text = agent::with_missing_members(own, installed_text());
    for (const agent::TrustChange& added :
         agent::trust_changes(agent::trust_part(own), source.text))
        source.part = agent::with_trusted_key(source.part, added.key, source.text);
    if (is_same(directory, home.template_directory()) || is_same(directory, installed))
        source.part = agent::trust_part(source.text);
    return source;
}

BirthPlan make_plan(const Home& home, const sys::Environment& environment,
                    const BirthSource& source, SourceKind origin, const BirthOptions& options) {
    const auto defaults = agent::load_home_configuration(home);
    const auto present = agent::parse_configuration(source.text, source.name);
    const ChosenModel chosen =
        choose_model(home, environment, defaults, present.model, origin, options);

    const auto decided = decided_members(defaults, origin, options);
    std::map<std::string, std::string> members = decided;
    members["name"] = chat::quoted(options.name);
    members["model"] = chat::quoted(chosen.model);
    if (const auto prompt = chosen_prompt(present, options))
        members["system_prompt"] = chat::quoted(*prompt);
    if (options.description) members["description"] = chat::quoted(*options.description);

    BirthPlan plan;
    plan.text = agent::with_members(source.text, members);
    plan.model = chosen.model;
    plan.model_origin = chosen.origin;
    plan.prompt_ttl_ms = defaults.prompt_ttl_ms;
    const std::string before = agent::with_harmless_keys(source.part, plan.text);
    plan.part = before;
    for (const auto& [key, value] : decided)
        plan.part = agent::with_trusted_key(plan.part, key, plan.text);
    plan.untrusted = agent::trust_changes(plan.part, plan.text);
    const std::string in_force =
        options.trust ? plan.text : agent::with_trust_part(plan.text, plan.part);
    plan.configuration = agent::parse_configuration(in_force, "agent.json");
    plan.sandbox = agent::sandbox_in_force(plan.configuration, defaults);
    for (const std::string& text : {plan.text, in_force})
        (void)agent::resolve_profile(agent::parse_configuration(text, "agent.json").permissions,
                                     defaults, "agent.json");
    if (options.permissions || options.trust)
        check_grant(environment, defaults, before, agent::trust_part(in_force));
    return plan;
}

}  // namespace chorus::life
