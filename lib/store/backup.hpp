// Copies of the whole database, made while other processes use it, and restored.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.hpp"
#include "sys/named_file.hpp"

namespace chorus::store {

// Writes one snapshot of the database to a file (0600), complete and durable when this returns;
// later commits are not in it. The copy is checked before it replaces a file: Error(failed) if the
// database is damaged, Error(canceled) when `stop` returns true. Returns its size in bytes.
std::int64_t back_up(Store& store, const sys::OutputFile& file, const Stop& stop);

// Describes a database that has replaced another one.
struct Replaced {
    std::int64_t agents = 0;
    std::int64_t messages = 0;
    std::string kept;  // the previous database, "" if there was none
};
// Replaces the home's database with a copy of `backup` while no other process uses it. The previous
// database keeps its content, with its log, under another name in the same directory.
// Error(config_invalid) if the file is not a Chorus database or is from a newer version,
// Error(failed) if it is damaged, Error(agent_busy) if a process has the database open,
// Error(canceled) when `stop` returns true; in these cases nothing is changed.
Replaced put_back(const Store::Paths& paths, const sys::RegularInput& backup, const Stop& stop);

}  // namespace chorus::store
