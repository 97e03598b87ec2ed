// The directories of an agent to be, and the repository of its workspace. For this room's own use.
#pragma once

#include "agent/layout.hpp"
#include "life/birth.hpp"
#include "life/plan.hpp"

namespace chorus::life {

// Makes what is missing. What a clone, or this machine, does not give is in birth.left_out.
void complete_tree(const agent::Directory& directory, const BirthOptions& options, const Plan& plan,
                   Birth& birth);

}  // namespace chorus::life
