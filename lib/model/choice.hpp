// Resolves model names, and chooses the model of an agent that was given none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "sys/environment.hpp"

namespace chorus::model {

// available_models.json: the models that each provider listed when last asked. Two forms are read:
// {"last_updated", "providers": {p: {"valid", "models": […]}}} and {p: {"valid", "models"}}.
struct AvailableModels {
    struct Listed {
        bool valid = false;
        std::vector<std::string> models;
    };
    std::map<std::string, Listed> providers;
};
// Throws Error(config_invalid). "" is an empty list.
AvailableModels parse_available_models(std::string_view json);

enum class Check {
    listed,  // must be listed by its provider, if that was asked; the hint names
             // --no-validate-model
    known,   // the same, without that hint
    part,    // the same; a part of one listed name suffices, and the provider's key must be valid
    none,
};
// Returns the full "provider/name". A bare name is looked up in the lists; if several providers
// list it, the error names them. A provider that was never asked accepts any name. Otherwise
// returns Error(no_driver).
std::variant<std::string, base::Error> find_model(std::string_view text,
                                                  const AvailableModels& available, Check check);
// Like find_model, but throws the error.
std::string resolve_model(std::string_view text, const AvailableModels& available, Check check);

// Whether a variable of this name holds a key: a catalog provider's variable, or one with a typical
// ending as in GH_TOKEN.
bool is_key_variable(std::string_view name);
// Returns the process's environment, and overwrites the values of key variables in place so that
// /proc no longer shows them.
sys::Environment take_environment();

struct DefaultModel {
    std::string model;     // the full name
    std::string variable;  // the key variable that decided
};
// The first provider of the catalog whose key is set.
std::optional<DefaultModel> default_model(const sys::Environment& environment);

}  // namespace chorus::model
