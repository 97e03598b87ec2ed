#pragma once

#include <string>
#include <vector>

struct sqlite3;

namespace chorus::store {

// Reads the whole database. Returns a line for each fault of the file, each row that refers to
// nothing, and each table or column that the schema lacks.
std::vector<std::string> integrity_problems(sqlite3* database);

}  // namespace chorus::store
