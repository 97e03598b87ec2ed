// What can still be read of a damaged database, as a new one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace chorus::store {

struct Salvage {
    std::int64_t agents = 0;
    std::int64_t messages = 0;
    std::vector<std::string> lost;  // "messages: not every row can be read", a line each
    std::string kept;               // the database as it was, "" where there was none
};
// Puts a database of all rows that can be read in the place of one that is damaged, empty or gone,
// or that lies beside a log of another; rows that refer to what is lost go too. Processes are kept
// out, and the old files stay, as by put_back(). Error(config_invalid) for a database of a newer
// program and for a file that is none of ours: nothing is changed then.
Salvage salvage(const Store::Paths& paths);

}  // namespace chorus::store
