// The keys that Chorus knows of, which must not be stored, printed or sent on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "model/endpoint.hpp"
#include "policy/redaction.hpp"
#include "sys/environment.hpp"

namespace chorus::place {

// Returns the values of the known key variables, of those of `configured` (what commands may see)
// that name a key, and the credentials of the home: what credentials.json holds, and the variables
// and files that it names.
policy::Redaction secrets_of(const agent::Home& home, const sys::Environment& environment,
                             const std::vector<std::string>& configured = {});
// Adds the values of variables that are configured later.
void add_secrets(policy::Redaction& redaction, const sys::Environment& environment,
                 const std::vector<std::string>& configured);

// Adds what requests carry besides the key: the values of headers and parameters whose names say
// that they are secret, and the password and such parameters of the base URL.
void add_sent_secrets(policy::Redaction& redaction, const model::Endpoint& endpoint);
// Adds the same from the text of config.json or models.json.
void add_configured_secrets(policy::Redaction& redaction, std::string_view json);

// Returns the text without these keys and without anything shaped like a key.
std::string redacted(std::string_view text, const sys::Environment& environment);

}  // namespace chorus::place
