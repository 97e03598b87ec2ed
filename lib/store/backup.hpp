// A copy of the whole database, made beside whoever works with it.
#pragma once

#include <cstdint>

#include "store/store.hpp"
#include "sys/output_file.hpp"

namespace chorus::store {

// The state of one moment as a file of its own (0600), whole and durable when this returns; what
// others commit meanwhile is not in it. Returns its size.
std::int64_t back_up(Store& store, const sys::OutputFile& file);

}  // namespace chorus::store
