#include "life/known_models.hpp"

#include "agent/configuration.hpp"
#include "store/settings.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

constexpr std::string_view scope = "home";
constexpr std::string_view setting = "models.json";

}  // namespace

model::Catalog load_catalog(const agent::Home& home) {
    return model::catalog_of(agent::models_text(home), home.models());
}

model::Catalog load_catalog(store::Store& store, const agent::Home& home) {
    const std::string state = sys::settled_mark(home.models());
    if (state.empty()) return load_catalog(home);
    // another version of Chorus may have other rows below it
    const std::string mark = state + " " CHORUS_VERSION "\n";
    const std::string kept = store::find_setting(store, scope, setting);
    if (kept.starts_with(mark)) return model::Catalog(kept.substr(mark.size()));
    model::Catalog catalog = load_catalog(home);
    store::Transaction transaction(store);
    store::set_setting(store, scope, setting, mark + catalog.own_rows());
    transaction.commit();
    return catalog;
}

}  // namespace chorus::life
