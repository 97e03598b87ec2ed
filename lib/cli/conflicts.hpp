// Options that exclude each other (cli/conflicts.txt).
#pragma once

#include "cli/command.hpp"

namespace chorus::cli {

bool exclude_each_other(const Command& command, const Option& one, const Option& other);

}  // namespace chorus::cli
