// Room that is kept for the day when the disk is full: then chorus-destroy, which frees more, gives
// it up to put on record what it does.
#pragma once

#include "agent/layout.hpp"

namespace chorus::life {

// Made where there is none. A disk that has no room for it, or cannot be written, is no error.
void keep_reserve(const agent::Home& home);
void give_up_reserve(const agent::Home& home);

}  // namespace chorus::life
