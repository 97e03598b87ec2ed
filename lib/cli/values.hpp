// Candidates for a value, from the home as it is: nothing is created, migrated or waited for.
#pragma once

#include "cli/completion.hpp"
#include "sys/environment.hpp"

namespace chorus::cli {

// Adds the candidates of completion.sources. One that is not a plain word (letters, digits and
// _.,/:@+%=-, the first a letter, a digit or _) is left out, as a shell could read it differently.
// Throws what opening and reading throw; candidates found until then stay.
void offer_values(Completion& completion, const sys::Environment& environment);

}  // namespace chorus::cli
