// The options of a turn that are kept with it, as JSON in store::Turn::options.
#pragma once

#include <string>

#include "place/in_force.hpp"
#include "place/turn_options.hpp"
#include "policy/redaction.hpp"
#include "store/turns.hpp"

namespace chorus::turn {

std::string kept_options(const place::TurnOptions& options, const place::Settings& settings,
                         const policy::Redaction& redaction, const std::string& branch);
// Returns the options to continue the turn with: its own, and those given to --resume.
// Error(bad_request) for a turn that cannot be continued.
place::TurnOptions options_to_resume(const place::TurnOptions& given, const store::Turn& turn);
// Returns the turn's options with those given to --resume, which apply from now on.
std::string renewed_options(const store::Turn& turn, const place::TurnOptions& options,
                            const policy::Redaction& redaction);

}  // namespace chorus::turn
