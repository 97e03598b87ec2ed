// What nothing that is stored, printed or sent on may hold: every key that Chorus knows of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "policy/redaction.hpp"
#include "sys/environment.hpp"

namespace chorus::turn {

// The values of the known key variables, of those of `configured` (what commands may see) that name
// a key, and the credentials of the home: what credentials.json holds, and the variables and files
// that it names.
policy::Redaction secrets_of(const agent::Home& home, const sys::Environment& environment,
                             const std::vector<std::string>& configured = {});
// The same of variables that are configured later.
void add_secrets(policy::Redaction& redaction, const sys::Environment& environment,
                 const std::vector<std::string>& configured);

// A text without those, and without the shapes of keys.
std::string redacted(std::string_view text, const sys::Environment& environment);

}  // namespace chorus::turn
