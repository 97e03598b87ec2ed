// A copy of the whole database, made beside whoever works with it.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.hpp"

namespace chorus::store {

enum class IfThere { refuse, replace };
// The state of one moment as a file of its own (0600), whole and durable when this returns; what
// others commit meanwhile is not in it. Returns its size. Error(exists) where the file is there and
// is not to go.
std::int64_t back_up(Store& store, const std::string& path, IfThere if_there);

}  // namespace chorus::store
