#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace chorus::store {

// What SQLite finds wrong with the file and with what its rows refer to, a line each. Reads all of
// it.
std::vector<std::string> integrity_problems(Store& store);

}  // namespace chorus::store
