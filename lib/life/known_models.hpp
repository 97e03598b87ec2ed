// Loads the catalog of a home. The database keeps it until models.json or available_models.json
// changes.
#pragma once

#include "agent/layout.hpp"
#include "model/catalog.hpp"
#include "store/store.hpp"

namespace chorus::life {

// With models.json alone. All throw Error(config_invalid) for an error in a file.
model::Catalog load_own_catalog(const agent::Home& home);
model::Catalog load_catalog(const agent::Home& home);
// The same; the database keeps the compiled rows. Not inside a transaction.
model::Catalog load_catalog(store::Store& store, const agent::Home& home);

}  // namespace chorus::life
