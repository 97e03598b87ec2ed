// The values that a word may become, from the home as it is: nothing is made, migrated or waited
// for.
#pragma once

#include "cli/completion.hpp"
#include "sys/environment.hpp"

namespace chorus::cli {

// Adds what completion.sources name. What is not a plain word (letters, digits, _.,/:@+%=-, and
// none of these signs first) is left out: a shell would read something else in it. Throws what
// opening and reading throw; what was found until then stays.
void offer_values(Completion& completion, const sys::Environment& environment);

}  // namespace chorus::cli
