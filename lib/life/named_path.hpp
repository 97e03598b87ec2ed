// Paths that the user names.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// Returns an absolute path with its links resolved; "" if it does not exist. Throws Error(`code`),
// starting with `what` ("-C"), if one of its links is in a directory where agents of this home
// work, because a command of theirs may have made it.
std::string named_path(store::Store& store, const agent::Home& home, base::ErrorCode code,
                       const std::string& what, const std::string& path);

// Throws Error(bad_request), starting with `what`, for places where agents do not work: /, the
// user's home directory, a directory that contains the home or is inside it, and git directories
// with their contents. `path` is a real path.
void check_place(const agent::Home& home, const sys::Environment& environment,
                 const std::string& what, const std::string& path);
// The same for a directory that other users can write to: the model would read, and commands would
// run, what they put there.
void refuse_shared(const std::string& path, const std::string& what);
// Returns the real path of the home directory from the environment; "" if there is none.
std::string user_home(const sys::Environment& environment);

}  // namespace chorus::life
