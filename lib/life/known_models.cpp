#include "life/known_models.hpp"

#include "agent/configuration.hpp"
#include "store/settings.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

constexpr std::string_view scope = "home";
constexpr std::string_view setting = "models.json";

// Says which file it was; "" while it may still change within one tick of the clock.
std::string mark_of(const std::string& path) {
    std::string mark = sys::settled_mark(path);
    return mark.empty() && !sys::exists(path) ? "-" : mark;
}

}  // namespace

model::Catalog load_own_catalog(const agent::Home& home) {
    return model::catalog_of(agent::models_text(home), home.models());
}

model::Catalog load_catalog(const agent::Home& home) {
    return model::with_listed(load_own_catalog(home), agent::available_models_text(home),
                              home.available_models());
}

model::Catalog load_catalog(store::Store& store, const agent::Home& home) {
    const std::string own = mark_of(home.models());
    const std::string listed = mark_of(home.available_models());
    if (own == "-" && listed == "-") return model::Catalog();
    if (own.empty() || listed.empty()) return load_catalog(home);
    // another version of Chorus may have other rows below it
    const std::string mark = own + " " + listed + " " CHORUS_VERSION "\n";
    const std::string kept = store::find_setting(store, scope, setting);
    if (kept.starts_with(mark)) return model::Catalog(kept.substr(mark.size()));
    model::Catalog catalog = load_catalog(home);
    store::Transaction transaction(store);
    store::set_setting(store, scope, setting, mark + catalog.own_rows());
    transaction.commit();
    return catalog;
}

}  // namespace chorus::life
