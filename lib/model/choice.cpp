#include "model/choice.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "model/model.hpp"

namespace chorus::model {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::string_view script_model = "builtin/script";

std::string all_providers(const Catalog& catalog) {
    return "providers are " + base::quoted_list(catalog.provider_names());
}

using Lists = std::vector<std::pair<std::string, const AvailableModels::Listed*>>;

// In order of preference.
Lists in_order(const Catalog& catalog, const AvailableModels& available) {
    Lists lists;
    for (const std::string& provider : catalog.provider_names())
        if (const auto found = available.providers.find(provider);
            found != available.providers.end())
            lists.emplace_back(provider, &found->second);
    return lists;
}

bool lists(const AvailableModels::Listed& listed, std::string_view name) {
    return std::find(listed.models.begin(), listed.models.end(), name) != listed.models.end();
}

using Found = std::variant<std::string, Error>;

Error no_driver(std::string message, std::string hint = {}) {
    return {ErrorCode::no_driver, std::move(message), std::move(hint)};
}

constexpr std::size_t most_shown = 20;

std::string some_of(std::vector<std::string> names) {
    const bool cut = names.size() > most_shown;
    names.resize(std::min(names.size(), most_shown));
    return base::quoted_list(names) + (cut ? " and more" : "");
}

Error ambiguous(std::string_view text, std::vector<std::string> candidates) {
    return no_driver("model: " + base::quoted(text) + " is ambiguous",
                     "choose one of " + some_of(std::move(candidates)));
}

// Returns the full names of the listed models that contain the text, ignoring case. Of providers
// that list the same name, only the first counts. `provider` limits the search; "" searches all.
std::vector<std::string> names_with(std::string_view text, std::string_view provider,
                                    const Catalog& catalog, const AvailableModels& available) {
    const std::string part = base::to_lower_ascii(text);
    std::vector<std::string> found;
    std::set<std::string_view> names;
    for (const auto& [name, listed] : in_order(catalog, available)) {
        if ((!provider.empty() && provider != name) || !listed->valid) continue;
        for (const std::string& model : listed->models)
            if (base::to_lower_ascii(model).find(part) != std::string::npos &&
                names.insert(model).second)
                found.push_back(name + "/" + model);
    }
    return found;
}

Found one_of(std::string_view text, std::vector<std::string> candidates) {
    if (candidates.size() > 1) return ambiguous(text, std::move(candidates));
    return std::move(candidates.front());
}

// Returns the providers that were never asked, with the models that the catalog knows.
AvailableModels unasked(const Catalog& catalog, const AvailableModels& available) {
    AvailableModels known;
    for (const std::string& provider : catalog.provider_names()) {
        if (available.providers.count(provider) != 0) continue;
        AvailableModels::Listed& listed = known.providers[provider];
        listed.valid = true;
        for (const std::string& model : catalog.model_names(provider))
            listed.models.push_back(parse_model_name(model).name);
    }
    return known;
}

// Returns the full name with the first provider that lists it, if any.
std::vector<std::string> served(std::string_view name, const Catalog& catalog,
                                const AvailableModels& available, Check check) {
    for (const auto& [provider, listed] : in_order(catalog, available))
        if (lists(*listed, name) && (listed->valid || check != Check::usable))
            return {provider + "/" + std::string(name)};
    return {};
}

// `problem` and `ways` are the error where nothing is found.
Found find_bare(std::string_view name, const Catalog& catalog, const AvailableModels& available,
                Check check, const std::string& problem, const std::string& ways) {
    const auto found_in = [&](const AvailableModels& models) {
        std::vector<std::string> found = served(name, catalog, models, check);
        if (found.empty() && check != Check::none) found = names_with(name, {}, catalog, models);
        return found;
    };
    std::vector<std::string> found = found_in(available);
    if (!found.empty()) return one_of(name, std::move(found));
    const AvailableModels others = unasked(catalog, available);
    found = found_in(others);
    if (!found.empty()) return one_of(name, std::move(found));
    std::vector<std::string> names;
    for (const AvailableModels* models : {&available, &others})
        for (const auto& [provider, listed] : in_order(catalog, *models))
            names.insert(names.end(), listed->models.begin(), listed->models.end());
    return no_driver(problem, base::did_you_mean(name, names) + ways);
}

std::string accepted_by(Check check) {
    if (check == Check::listed) return "; --no-validate-model accepts it anyway";
    if (check == Check::known)
        return "; chorus-config models --refresh asks it again, and CHORUS_MODEL may be any name";
    return {};
}

// `listed` is the list of the wanted model's provider.
Found find_listed(std::string_view text, const ModelName& wanted,
                  const AvailableModels::Listed& listed, const Catalog& catalog,
                  const AvailableModels& available, Check check) {
    if (check == Check::usable && !listed.valid)
        return no_driver("model: the key of " + wanted.provider +
                         " was not valid when last checked");
    if (listed.models.empty() || lists(listed, wanted.name)) return std::string(text);
    const std::string row = catalog.row_of(text);
    if (!row.empty() && lists(listed, parse_model_name(row).name)) return std::string(text);
    std::vector<std::string> found = names_with(wanted.name, wanted.provider, catalog, available);
    if (!found.empty()) return one_of(text, std::move(found));
    return no_driver("model: " + wanted.provider + " does not list " + base::quoted(wanted.name),
                     base::did_you_mean(wanted.name, listed.models) + "it lists " +
                         some_of(listed.models) + accepted_by(check));
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
        throw Error(ErrorCode::config_invalid, "available_models.json: expected an object",
                    "chorus-config doctor --fix moves it aside");
    for (const auto& [name, entry] : providers.items()) {
        if (!entry.is_object()) continue;
        AvailableModels::Listed listed;
        listed.valid = chat::member(entry, "valid") == true;
        if (const chat::Json& models = chat::member(entry, "models"); models.is_array())
            for (const chat::Json& model : models)
                if (model.is_string()) listed.models.push_back(model.get<std::string>());
        available.providers[name] = std::move(listed);
    }
    return available;
}

std::string with_listing(std::string_view json, const std::string& provider, bool valid,
                         const Listing& listing, std::int64_t now_ms) {
    // a broken file is replaced
    chat::Json object = chat::try_parse_json(json).value_or(chat::Json::object());
    if (!object.is_object()) object = chat::Json::object();
    if (!object.contains("providers"))
        object = {{"last_updated", ""}, {"providers", std::move(object)}};
    object["last_updated"] = base::iso8601(now_ms);
    if (!object["providers"].is_object()) object["providers"] = chat::Json::object();
    chat::Json& entry = object["providers"][provider];
    entry = {{"valid", valid}, {"models", listing.models}};
    for (const auto& [model, row] : listing.rows) entry["rows"][model] = chat::Json::parse(row);
    return object.dump(2, ' ', false, chat::Json::error_handler_t::replace) + "\n";
}

Found find_model(std::string_view text, const Catalog& catalog, const AvailableModels& available,
                 Check check) {
    if (text.empty())
        return Error(ErrorCode::config_invalid, "model: none is set",
                     "give one with -m provider/name, or for all agents with chorus-config set "
                     "default_model provider/name");
    const ModelName wanted = parse_model_name(text);
    if (wanted.provider.empty())
        return find_bare(text, catalog, available, check,
                         "model: no provider lists " + base::quoted(text),
                         "write it as provider/name; " + all_providers(catalog));
    // the names of some providers' models have a "/" of their own
    if (!catalog.has_provider(wanted.provider))
        return find_bare(
            text, catalog, available, check, "model: no provider " + base::quoted(wanted.provider),
            base::did_you_mean(wanted.provider, catalog.provider_names()) + all_providers(catalog));
    if (wanted.name.empty()) return no_driver("model: " + base::quoted(text) + " names no model");
    if (wanted.provider == "builtin" && text != script_model)
        return no_driver("model: there is no " + base::quoted(text),
                         std::string(script_model) + " is the only built-in model");
    const auto listed = available.providers.find(wanted.provider);
    if (check == Check::none || listed == available.providers.end()) return std::string(text);
    return find_listed(text, wanted, listed->second, catalog, available, check);
}

std::string resolve_model(std::string_view text, const Catalog& catalog,
                          const AvailableModels& available, Check check) {
    Found found = find_model(text, catalog, available, check);
    if (const Error* error = std::get_if<Error>(&found)) throw Error(*error);
    return std::move(std::get<std::string>(found));
}

sys::Environment take_environment() {
    sys::Environment environment = sys::Environment::of_process();
    for (const auto& [name, value] : environment.all())
        if (is_key_variable(name)) sys::wipe_environment_value(name.c_str());
    return environment;
}

std::optional<DefaultModel> default_model(
    const Catalog& catalog, const std::function<std::string(const Provider&)>& key_of) {
    for (const std::string& name : catalog.provider_names()) {
        const Provider provider = catalog.require_provider(name);
        if (!provider.needs_key || provider.default_model.empty()) continue;
        if (std::string key = key_of(provider); !key.empty())
            return DefaultModel{name + "/" + provider.default_model, std::move(key)};
    }
    return std::nullopt;
}

}  // namespace chorus::model
