// Creates the directories of a new agent and the repository of its workspace; for this room's
// own use.
#pragma once

#include "agent/layout.hpp"
#include "life/birth.hpp"
#include "life/plan.hpp"

namespace chorus::life {

// Creates what is missing. Adds to birth.left_out what the clone or this machine does not provide.
void complete_tree(const agent::Directory& directory, const BirthOptions& options,
                   const BirthPlan& plan, Birth& birth);

}  // namespace chorus::life
