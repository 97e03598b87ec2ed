// Builds a new database from what can still be read of a damaged one.
#pragma once

#include <string>
#include <vector>

#include "store/backup.hpp"
#include "store/store.hpp"

namespace chorus::store {

struct Salvage : Replaced {
    std::vector<std::string> lost;  // "messages: some rows cannot be read", a line each
};
// Replaces a database that is damaged, empty, missing or beside a foreign log by one with all rows
// that can be read; rows that refer to lost rows are dropped. As in put_back(), other processes are
// kept out and the old files are kept. Error(config_invalid) for a database of a newer program or a
// file that is not a Chorus database; nothing is changed then.
Salvage salvage(const Store::Paths& paths);

}  // namespace chorus::store
