// The catalog of a home, read again only after its models.json has changed.
#pragma once

#include "agent/layout.hpp"
#include "model/catalog.hpp"
#include "store/store.hpp"

namespace chorus::life {

// Throws Error(config_invalid) for an error in models.json.
model::Catalog load_catalog(const agent::Home& home);
// The same; the database keeps the compiled rows. Not inside a transaction.
model::Catalog load_catalog(store::Store& store, const agent::Home& home);

}  // namespace chorus::life
