// --help, laid out by CLI11.
#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"

namespace chorus::cli {

std::string help(const Command& command, std::span<const Verb> verbs);

}  // namespace chorus::cli
