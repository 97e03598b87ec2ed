#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

struct sqlite3;

namespace chorus::store {

// What SQLite finds wrong with the file and with what its rows refer to, a line each. Reads all of
// it.
std::vector<std::string> integrity_problems(sqlite3* database);

// Whether the error is that the database, or a part of it, cannot be read: not that it may not be
// written or is another program's.
bool is_damage(const base::Error& error);

}  // namespace chorus::store
