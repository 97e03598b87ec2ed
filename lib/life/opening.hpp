// Opens a home and its database, for every executable.
#pragma once

#include <string_view>

#include "agent/home.hpp"
#include "store/store.hpp"

namespace chorus::life {

// Creates the home (IfMissing::create) and migrates the database with Groom::automatic, else
// Error(config_invalid) with nothing changed. Errors as in agent::open_home and store::Store::open.
// Error(config_invalid) also if the database is missing or empty but there are agent directories,
// including archived ones, other than that of `adopted`.
store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom,
                       std::string_view adopted = {});

store::Store::Paths database_paths(const agent::Home& home);

}  // namespace chorus::life
