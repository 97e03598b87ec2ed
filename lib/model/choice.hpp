// Resolves model names, and chooses the model of an agent that was given none.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "model/catalog.hpp"
#include "model/listing.hpp"
#include "sys/environment.hpp"

namespace chorus::model {

// available_models.json: the models that each provider listed when last asked. Two forms are read:
// {"last_updated", "providers": {p: {"valid", "models": […], "rows"}}} and {p: {"valid",
// "models"}}. "rows", which catalog_of() reads, is an object of rows of models.json by the names of
// models.
struct AvailableModels {
    struct Listed {
        bool valid = false;
        std::vector<std::string> models;
    };
    std::map<std::string, Listed> providers;
};
// Throws Error(config_invalid). "" is an empty list.
AvailableModels parse_available_models(std::string_view json);

// Returns the text of the file, which was that, with what a provider has answered: its models, or
// that its key is not valid.
std::string with_listing(std::string_view json, const std::string& provider, bool valid,
                         const Listing& listing, std::int64_t now_ms);

enum class Check {
    listed,  // must be listed by its provider, if that was asked; the hint names
             // --no-validate-model
    known,   // the same; the hint names --refresh and CHORUS_MODEL
    usable,  // the same, and the provider's key must be valid
    none,    // a name with a provider is accepted as it is
};
// Returns the full "provider/name". A bare name is looked up in the lists, and if it is in none, in
// the catalog's models of the providers that were never asked; of several providers that list it,
// the first in order of preference is taken. Where no list has the name, a part that only one listed
// name has suffices (ignoring case, and not with Check::none); if several have it, the error names
// them. A provider that was never asked accepts any name. Otherwise returns Error(no_driver).
std::variant<std::string, base::Error> find_model(std::string_view text, const Catalog& catalog,
                                                  const AvailableModels& available, Check check);
// Like find_model, but throws the error.
std::string resolve_model(std::string_view text, const Catalog& catalog,
                          const AvailableModels& available, Check check);

// Returns the process's environment, and overwrites the values of key variables in place so that
// /proc no longer shows them.
sys::Environment take_environment();

struct DefaultModel {
    std::string model;  // the full name
    std::string key;    // where its key is
};
// That of the first provider, in order of preference, that has a key; `key_of` says where it is, or
// "".
std::optional<DefaultModel> default_model(
    const Catalog& catalog, const std::function<std::string(const Provider&)>& key_of);

}  // namespace chorus::model
