#pragma once

#include <string>
#include <vector>

struct sqlite3;

namespace chorus::store {

// What SQLite finds wrong with the file and with what its rows refer to, and what is missing of the
// schema, a line each. Reads all of it.
std::vector<std::string> integrity_problems(sqlite3* database);

}  // namespace chorus::store
