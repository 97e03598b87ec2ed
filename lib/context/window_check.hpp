// Whether the windows of threads can be sent: a database that was made anew may lack rows.
#pragma once

#include <vector>

#include "context/session_check.hpp"

namespace chorus::context {

// Of every agent. With `fix`, the window of such a thread begins anew; what was said stays on
// record.
std::vector<Finding> check_windows(store::Store& store, bool fix);

}  // namespace chorus::context
