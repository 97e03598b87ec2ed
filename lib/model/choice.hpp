// Which model a name means, and which one an agent gets that was given none.
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

// available_models.json: what the providers answered when they were last asked. Both forms are
// read:
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
    listed,  // by its provider, where that has been asked; chorus-init has an option not to care
    known,   // the same, without that hint
    part,  // the same; a part that only one listed name has is enough; no provider whose key failed
    none,
};
// "provider/name" in full. A bare name is looked up in the list (ambiguous: an error that lists
// them); a provider that has never been asked accepts any name. Error(no_driver) otherwise.
std::variant<std::string, base::Error> find_model(std::string_view text,
                                                  const AvailableModels& available, Check check);
// The same; throws the error.
std::string resolve_model(std::string_view text, const AvailableModels& available, Check check);

// Whether such a variable holds a key: of a provider of the catalog, or by its end, as in GH_TOKEN.
bool is_key_variable(std::string_view name);
// The process's environment. The values of key variables are from then on nowhere but in what is
// returned: where /proc shows them they are overwritten.
sys::Environment take_environment();

struct DefaultModel {
    std::string model;     // in full
    std::string variable;  // the key that decided
};
// The first provider of the catalog whose key is set.
std::optional<DefaultModel> default_model(const sys::Environment& environment);

}  // namespace chorus::model
