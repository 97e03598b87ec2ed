// Draws the tokens and the cost of each turn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/turns.hpp"

namespace chorus::context {

// Returns SVG for an HTML page: one bar per turn, or per several consecutive turns if there are
// many; "" if nothing was spent. Known costs get a chart of their own. `anchors` maps a turn to the
// id of the element that its bar links to.
std::string usage_chart(const std::vector<store::Turn>& turns,
                        const std::map<store::TurnId, std::string>& anchors);

}  // namespace chorus::context
