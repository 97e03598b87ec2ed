// The verbs of chorus-tasks, by subject.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace chorus::command {

std::vector<cli::Verb> prompt_verbs();
std::vector<cli::Verb> status_verbs();
std::vector<cli::Verb> task_verbs();
std::vector<cli::Verb> turn_verbs();
// Without a verb: all agents.
extern const cli::Options overview;

}  // namespace chorus::command
