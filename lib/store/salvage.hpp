// Builds a new database from what can still be read of a damaged one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace chorus::store {

struct Salvage {
    std::int64_t agents = 0;
    std::int64_t messages = 0;
    std::vector<std::string> lost;  // "messages: some rows cannot be read", a line each
    std::string kept;               // the previous database, "" if there was none
};
// Replaces a database that is damaged, empty, missing or beside a foreign log by one with all rows
// that can be read; rows that refer to lost rows are dropped. As in put_back(), other processes are
// kept out and the old files are kept. Error(config_invalid) for a database of a newer program or a
// file that is not a Chorus database; nothing is changed then.
Salvage salvage(const Store::Paths& paths);

}  // namespace chorus::store
