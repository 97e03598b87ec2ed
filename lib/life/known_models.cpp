#include "life/known_models.hpp"

#include "agent/configuration.hpp"
#include "store/settings.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

constexpr std::string_view scope = "home";
constexpr std::string_view setting = "models.json";

}  // namespace

model::Catalog load_catalog(store::Store& store, const agent::Home& home) {
    if (!sys::exists(home.models())) return model::Catalog();
    const std::string state = sys::settled_mark(home.models());
    // another version of Chorus may have other rows below it
    const std::string mark = state + " " CHORUS_VERSION "\n";
    const std::string kept = state.empty() ? "" : store::find_setting(store, scope, setting);
    if (!state.empty() && kept.starts_with(mark)) return model::Catalog(kept.substr(mark.size()));
    model::Catalog catalog = model::catalog_of(agent::models_text(home), home.models());
    if (state.empty()) return catalog;
    store::Transaction transaction(store);
    store::set_setting(store, scope, setting, mark + catalog.own_rows());
    transaction.commit();
    return catalog;
}

}  // namespace chorus::life
