// The calls of tools that turns are made of.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace escape {

// A line for builtin/script; of `tools` where there are any. Git tools come first.
std::string any_call(const std::vector<std::string>& tools, std::mt19937_64& random);

}  // namespace escape
