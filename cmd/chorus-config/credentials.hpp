// Declares what the verbs profiles and login share.
#pragma once

#include <vector>

#include "chorus-config/subject.hpp"
#include "life/credentials.hpp"

namespace chorus::command {

// Replaces credentials.json. The home's configuration is locked.
void write_credentials(const agent::Home& home, const std::vector<life::Credential>& credentials);

}  // namespace chorus::command
