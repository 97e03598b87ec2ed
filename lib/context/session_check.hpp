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

// Checks that the windows of all threads can be sent; a rebuilt database may lack rows. With `fix`,
// a thread whose window cannot be sent starts a new one; earlier messages are kept.
std::vector<Finding> check_windows(store::Store& store, bool fix);

}  // namespace chorus::context
