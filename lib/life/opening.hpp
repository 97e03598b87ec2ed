// A home and its database, as every executable opens them.
#pragma once

#include "agent/home.hpp"
#include "store/store.hpp"

namespace chorus::life {

// Makes the home (IfMissing::create) and migrates the database where Groom::automatic says that
// this needs no person, else Error(config_invalid) with nothing changed. Errors as of
// agent::open_home and store::Store::open. Where there are directories of agents, a database
// without anything in it is Error(config_invalid) too.
store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom);

// Whether there are directories of agents, whatever the database knows.
bool has_directories(const agent::Home& home);
store::Store::Paths database_paths(const agent::Home& home);

}  // namespace chorus::life
