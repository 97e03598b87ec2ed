// A copy of the whole database, made beside whoever works with it, and put back.
#pragma once

#include <cstdint>

#include "store/store.hpp"
#include "sys/input_file.hpp"
#include "sys/output_file.hpp"

namespace chorus::store {

// The state of one moment as a file of its own (0600), whole and durable when this returns; what
// others commit meanwhile is not in it. It is checked before it takes the place of a file:
// Error(failed) where the database is damaged. Returns its size.
std::int64_t back_up(Store& store, const sys::OutputFile& file);

struct PutBack {
    std::int64_t agents = 0;
    std::int64_t messages = 0;
    std::string kept;  // the database that was there before, "" where there was none
};
// Makes a copy of `backup` the database of the home, with all processes kept out. The one that was
// there keeps its content, its log included, under a name beside it. Error(config_invalid) for a
// file that is no database of chorus or of a newer one, Error(failed) for a damaged one,
// Error(agent_busy) where a process has the database open; nothing is changed then.
PutBack put_back(const Store::Paths& paths, const sys::RegularInput& backup);

}  // namespace chorus::store
