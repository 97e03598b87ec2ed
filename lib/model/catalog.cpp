#include "model/catalog.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "model/catalog_reading.hpp"
#include "model/catalog_rows.hpp"
#include "sys/clock.hpp"

namespace chorus::embedded {
extern const std::string_view model_catalog;
}

namespace chorus::model {
namespace {

using chat::Json;

// Returns the name without "-20260712" or "-2026-07-12" at its end.
std::string_view without_date(std::string_view name) {
    for (const std::string_view form : {"-dddddddd", "-dddd-dd-dd"}) {
        if (name.size() <= form.size()) continue;
        const std::string_view end = name.substr(name.size() - form.size());
        const bool fits =
            std::equal(end.begin(), end.end(), form.begin(), [](char given, char wanted) {
                return wanted == 'd' ? given >= '0' && given <= '9' : given == wanted;
            });
        if (fits) return name.substr(0, name.size() - form.size());
    }
    return name;
}

}  // namespace

std::int64_t ModelFacts::prompt_tokens() const {
    return std::max(context_tokens - max_output_tokens, context_tokens / 2);
}

Catalog::Catalog(std::string own) : own_(std::move(own)) {}

std::optional<std::string_view> Catalog::find(std::string_view key) const {
    auto row = find_row(own_, key);
    if (!row) row = find_row(embedded::model_catalog, key);
    return row == "null" ? std::nullopt : row;
}

std::vector<std::string> Catalog::provider_names() const {
    std::vector<std::string> names = Json::parse(*find("")).get<std::vector<std::string>>();
    for (const std::string_view rows : {std::string_view(own_), embedded::model_catalog})
        for (std::string& name : row_keys(rows, ""))
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(std::move(name));
    std::erase_if(names, [&](const std::string& name) { return !has_provider(name); });
    return names;
}

bool Catalog::has_provider(std::string_view name) const {
    return !name.empty() && name.find('/') == name.npos && find(name);
}

std::optional<Provider> Catalog::find_provider(std::string_view name) const {
    if (name.empty() || name.find('/') != name.npos) return std::nullopt;
    const auto row = find(name);
    if (!row) return std::nullopt;
    Provider provider = read_provider(Json::parse(*row), std::string(name));
    provider.name = name;
    return provider;
}

Provider Catalog::require_provider(std::string_view name) const {
    if (auto provider = find_provider(name)) return std::move(*provider);
    const std::vector<std::string> names = provider_names();
    throw base::Error(
        base::ErrorCode::no_driver, "provider " + base::quoted(name) + ": not known",
        base::did_you_mean(name, names) + "the providers are " + base::quoted_list(names));
}

std::vector<std::string> Catalog::model_names(std::string_view provider) const {
    const std::string start = std::string(provider) + "/";
    std::set<std::string> names;
    for (const std::string_view rows : {std::string_view(own_), embedded::model_catalog})
        for (std::string& name : row_keys(rows, start)) names.insert(std::move(name));
    std::erase_if(
        names, [&](const std::string& name) { return name.back() == '*' || row_of(name) != name; });
    const auto row = find_provider(provider);
    if (row && !row->models_of.empty())
        for (const std::string& other : model_names(row->models_of))
            names.insert(start + other.substr(row->models_of.size() + 1));
    return {names.begin(), names.end()};
}

std::optional<std::string> Catalog::find_family(std::string_view model) const {
    const std::size_t slash = model.find('/');
    for (std::size_t length = model.size(); length > slash; --length) {
        std::string family = std::string(model.substr(0, length)) + "*";
        if (find(family)) return family;
    }
    return std::nullopt;
}

std::string Catalog::row_of(std::string_view model) const {
    const std::size_t slash = model.find('/');
    if (slash == model.npos) return {};
    for (const std::string_view name : {model, without_date(model)}) {
        const auto row = find(name);
        if (row && row->starts_with('"')) return Json::parse(*row).get<std::string>();
        if (row) return std::string(name);
    }
    if (auto family = find_family(model)) return std::move(*family);
    const auto provider = find_provider(model.substr(0, slash));
    if (!provider || provider->models_of.empty()) return {};
    return row_of(provider->models_of + std::string(model.substr(slash)));
}

ModelFacts Catalog::facts(std::string_view model) const {
    const std::string name = row_of(model);
    const auto row = name.empty() ? std::nullopt : find(name);
    return row ? read_model(Json::parse(*row), name, "") : ModelFacts();
}

namespace {

std::string today() {
    constexpr std::size_t date_size = sizeof("2026-11-26") - 1;
    return base::iso8601(sys::now_ms()).substr(0, date_size);
}

// The rows of models that have none in the catalog, in the form of models.json.
Json listed_rows(const Json& available, const Catalog& catalog) {
    Json rows = Json::object();
    const Json& providers = chat::member(available, "providers");
    if (!providers.is_object()) return rows;
    for (const auto& [provider, entry] : providers.items())
        if (const Json& listed = chat::member(entry, "rows");
            listed.is_object() && catalog.has_provider(provider))
            for (const auto& [model, row] : listed.items())
                if (catalog.row_of(provider + "/" + model).empty())
                    rows[provider]["models"][model] = row;
    return rows;
}

}  // namespace

Catalog with_listed(Catalog catalog, std::string_view available_json, std::string_view file) {
    if (available_json.empty()) return catalog;
    const Json rows =
        listed_rows(chat::parse_json(available_json, file, chat::DuplicateKeys::last_wins,
                                     base::limits::json_bytes, base::ErrorCode::config_invalid),
                    catalog);
    if (rows.empty()) return catalog;
    const std::string below = merged_rows(catalog.own_rows(), embedded::model_catalog);
    const std::string listed = compile_rows(chat::dump({{"providers", rows}}), file, below, "");
    return Catalog(merged_rows(listed, catalog.own_rows()));
}

Catalog catalog_of(std::string_view models_json, std::string_view file) {
    if (models_json.empty()) return Catalog();
    return Catalog(compile_rows(models_json, file, embedded::model_catalog, today()));
}

const Quirks& quirks_at(const Provider& provider, std::string_view base_url) {
    const bool is_own = base_url.empty() || base_url == provider.base_url;
    return is_own || !provider.quirks_elsewhere ? provider.quirks : *provider.quirks_elsewhere;
}

}  // namespace chorus::model
