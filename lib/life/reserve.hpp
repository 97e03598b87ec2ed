// Disk space reserved for a full disk: chorus-destroy, which frees more space, gives it up to
// record what it does.
#pragma once

#include "agent/layout.hpp"

namespace chorus::life {

// Creates the file if it does not exist. A full or read-only disk is not an error.
void keep_reserve(const agent::Home& home);
void give_up_reserve(const agent::Home& home);

}  // namespace chorus::life
