// Whether session files and their rows say the same; a process that was killed between the two
// leaves one without the other.
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

// Looks at every file in the sessions of every agent and at every row. With `fix`: a file without
// a row, or one that is not what was saved, is entered as it is, if it is a session; a row without
// a file says so from then on.
std::vector<Finding> check_sessions(store::Store& store, const agent::Home& home, bool fix);

}  // namespace chorus::context
