// The verb env: the variables that Chorus reads.
#include <algorithm>

#include "agent/home.hpp"
#include "agent/keys.hpp"
#include "base/text.hpp"
#include "chorus-config/subject.hpp"
#include "life/known_models.hpp"
#include "model/model.hpp"

namespace chorus::command {
namespace {

struct Row {
    std::string name;
    std::string fallback;
    std::string meaning;
    bool is_secret = false;
};

std::vector<Row> rows(const model::Catalog& catalog) {
    std::vector<Row> all;
    for (const agent::Variable& variable : agent::variables())
        all.push_back({std::string(variable.name), std::string(variable.fallback),
                       std::string(variable.sentence)});
    for (const std::string& name : catalog.provider_names()) {
        const model::Provider provider = catalog.require_provider(name);
        if (provider.base_url.empty()) continue;
        const std::string& key = provider.key_variable;
        all.push_back({model::base_url_variable(name), provider.base_url,
                       "where requests to " + name + " are sent"});
        const bool told =
            std::any_of(all.begin(), all.end(), [&](const Row& row) { return row.name == key; });
        if (!told && !key.empty()) all.push_back({key, "", "API key of " + name, true});
    }
    std::sort(all.begin(), all.end(),
              [](const Row& one, const Row& other) { return one.name < other.name; });
    return all;
}

// A URL may contain a user name and a password, and a key among its parameters.
std::string without_credentials(std::string value) {
    if (const std::size_t query = value.find('?'); query != value.npos)
        value.replace(query + 1, value.npos, "***");
    const auto user = base::user_of_url(value);
    if (!user) return value;
    return value.replace(static_cast<std::size_t>(user->data() - value.data()), user->size(),
                         "***");
}

std::string shown(const Row& row, const sys::Environment& environment) {
    const std::string value = environment.get(row.name);
    if (row.is_secret) return "set";
    const bool is_address = row.name.ends_with("_BASE_URL") || row.name.ends_with("_PROXY") ||
                            row.name.ends_with("_proxy");
    return base::replace_invalid_utf8(is_address ? without_credentials(value) : value);
}

struct Env : Printing {
    explicit Env(cli::Command&) {}

    void run(const sys::Environment& environment) const {
        const agent::Home home = agent::find_home(environment);
        for (const Row& row : rows(life::load_catalog(home))) {
            const bool is_set = environment.has(row.name);
            const char* origin = is_set                 ? "environment"
                                 : row.fallback.empty() ? "unset"
                                                        : "built-in";
            const std::string value =
                is_set ? shown(row, environment) : without_credentials(row.fallback);
            cli::print(json, "variable",
                       {{"name", row.name},
                        {"value", value},
                        {"origin", origin},
                        {"meaning", row.meaning}},
                       setting_line(row.name, origin, value, {.origin = 30, .value = 43}));
        }
    }
};

}  // namespace

const cli::Verb env_verb =
    verb<Env>("env", "print the environment variables that are read", "print JSON");

}  // namespace chorus::command
