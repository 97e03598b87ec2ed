// Tokens and cost of each turn, drawn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/turns.hpp"

namespace chorus::context {

// SVG within HTML: a bar a turn, or of several in a row where there are many; "" where nothing was
// spent. What it costs has bars of its own where it is known. `anchors` are the ids of the elements
// that bars lead to, by turn.
std::string usage_chart(const std::vector<store::Turn>& turns,
                        const std::map<store::TurnId, std::string>& anchors);

}  // namespace chorus::context
