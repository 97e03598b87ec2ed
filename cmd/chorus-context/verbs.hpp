// The verbs of chorus-context, by subject.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace chorus::command {

std::vector<cli::Verb> branch_verbs();
std::vector<cli::Verb> file_verbs();
std::vector<cli::Verb> message_verbs();
std::vector<cli::Verb> record_verbs();
std::vector<cli::Verb> session_verbs();
std::vector<cli::Verb> turn_verbs();

}  // namespace chorus::command
