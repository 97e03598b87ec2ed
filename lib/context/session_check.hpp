// Checks that session files and their rows agree; a process killed between writing the two leaves
// one without the other.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"

namespace chorus::context {

struct Finding {
    std::string what;
    bool mended = false;
};

// Checks every session file of every agent, and every row. With `fix`, a session file that has no
// row or differs from what was saved is entered as it is, and a row whose file is missing is marked
// so.
std::vector<Finding> check_sessions(store::Store& store, const agent::Home& home, bool fix);

}  // namespace chorus::context
