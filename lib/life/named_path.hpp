// Paths that a person names.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "store/store.hpp"

namespace chorus::life {

// Where an absolute path leads, without links; "" where nothing is there. Throws Error(`code`),
// which begins with `what` ("-C"), where one of its links lies in a directory in which agents of
// this home work: a command of theirs may have put it there.
std::string named_path(store::Store& store, const agent::Home& home, base::ErrorCode code,
                       const std::string& what, const std::string& path);

}  // namespace chorus::life
