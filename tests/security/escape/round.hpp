// A round: a place of its own, tools at work in it under attack, and what there is to see then.
#pragma once

#include <string>
#include <vector>

#include "security/escape/crew.hpp"

namespace escape {

// Ways to attack, in the order in which rounds take them.
const std::vector<std::string>& kinds();

struct Result {
    std::vector<std::string> effects;
    Tally tally;
    std::string kept;  // where the files are, "" where they are gone
};
Result play(const Kit& kit, const Options& options, const std::string& kind, std::uint64_t seed);

}  // namespace escape
