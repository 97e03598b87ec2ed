#include "model/choice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/model.hpp"

namespace chorus::model {
namespace {

using base::Error;
using base::ErrorCode;

std::string shown(std::string_view text) {
    return "'" + base::visible(text, base::Newlines::escape) + "'";
}

std::string provider_names() {
    std::vector<std::string> names;
    for (const Provider& provider : catalog()) names.emplace_back(provider.name);
    return base::quoted_list(names);
}

bool lists(const AvailableModels::Listed& listed, std::string_view name) {
    return std::find(listed.models.begin(), listed.models.end(), name) != listed.models.end();
}

std::string resolve_bare(std::string_view name, const AvailableModels& available) {
    std::vector<std::string> serving;
    for (const auto& [provider, listed] : available.providers)
        if (find_provider(provider) != nullptr && lists(listed, name))
            serving.push_back(provider + "/" + std::string(name));
    if (serving.size() == 1) return serving.front();
    if (serving.empty())
        throw Error(ErrorCode::no_driver, "model: no provider lists " + shown(name),
                    "write it as provider/name; providers are " + provider_names());
    throw Error(ErrorCode::no_driver, "model: " + shown(name) + " is ambiguous",
                "choose one of " + base::quoted_list(serving));
}

}  // namespace

AvailableModels parse_available_models(std::string_view json) {
    AvailableModels available;
    if (json.empty()) return available;
    const chat::Json object =
        chat::parse_json(json, "available_models.json", chat::DuplicateKeys::last_wins,
                         base::limits::json_bytes, ErrorCode::config_invalid);
    const bool nested = object.is_object() && object.contains("providers");
    const chat::Json& providers = nested ? object["providers"] : object;
    if (!providers.is_object())
        throw Error(ErrorCode::config_invalid, "available_models.json: expected an object");
    for (const auto& [name, entry] : providers.items()) {
        if (!entry.is_object()) continue;
        AvailableModels::Listed listed;
        listed.valid = entry.contains("valid") && entry["valid"] == true;
        if (entry.contains("models") && entry["models"].is_array())
            for (const chat::Json& model : entry["models"])
                if (model.is_string()) listed.models.push_back(model.get<std::string>());
        available.providers[name] = std::move(listed);
    }
    return available;
}

std::string resolve_model(std::string_view text, const AvailableModels& available, Check check) {
    if (text.empty())
        throw Error(ErrorCode::config_invalid, "model: none is set",
                    "give one with -m provider/name or set \"model\" in agent.json");
    const ModelName wanted = parse_model_name(text);
    if (wanted.provider.empty()) return resolve_bare(text, available);
    if (find_provider(wanted.provider) == nullptr)
        throw Error(ErrorCode::no_driver, "model: no provider " + shown(wanted.provider),
                    "providers are " + provider_names());
    if (wanted.name.empty())
        throw Error(ErrorCode::no_driver, "model: " + shown(text) + " names no model");
    const auto listed = available.providers.find(wanted.provider);
    if (check == Check::listed && listed != available.providers.end() &&
        !listed->second.models.empty() && !lists(listed->second, wanted.name)) {
        std::vector<std::string> some = listed->second.models;
        some.resize(std::min<std::size_t>(some.size(), 20));
        throw Error(
            ErrorCode::no_driver,
            "model: " + wanted.provider + " does not list " + shown(wanted.name),
            "it lists " + base::quoted_list(some) + "; --no-validate-model takes it anyway");
    }
    return std::string(text);
}

sys::Environment take_environment() {
    sys::Environment environment = sys::Environment::of_process();
    for (const Provider& provider : catalog())
        if (!provider.key_variable.empty())
            sys::wipe_environment_value(std::string(provider.key_variable).c_str());
    return environment;
}

std::optional<DefaultModel> default_model(const sys::Environment& environment) {
    for (const Provider& provider : catalog()) {
        if (!provider.needs_key || provider.default_model.empty()) continue;
        const std::string variable(provider.key_variable);
        if (environment.has(variable))
            return DefaultModel{
                std::string(provider.name) + "/" + std::string(provider.default_model), variable};
    }
    return std::nullopt;
}

}  // namespace chorus::model
