// Checks that the windows of threads can be sent; a rebuilt database may lack rows.
#pragma once

#include <vector>

#include "context/session_check.hpp"

namespace chorus::context {

// Checks every agent. With `fix`, a thread whose window cannot be sent starts a new one; earlier
// messages are kept.
std::vector<Finding> check_windows(store::Store& store, bool fix);

}  // namespace chorus::context
