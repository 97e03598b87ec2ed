// A home and its database, as every executable opens them.
#pragma once

#include <string_view>

#include "agent/home.hpp"
#include "store/store.hpp"

namespace chorus::life {

// Makes the home (IfMissing::create) and migrates the database where Groom::automatic says that
// this needs no person, else Error(config_invalid) with nothing changed. Errors as of
// agent::open_home and store::Store::open. Where there are directories of agents but for that of
// `adopted`, also archived ones, a database that is missing or empty is Error(config_invalid) too.
store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom,
                       std::string_view adopted = {});

store::Store::Paths database_paths(const agent::Home& home);

}  // namespace chorus::life
