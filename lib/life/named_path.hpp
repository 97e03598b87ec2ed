// Paths that a person names.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

// Where an absolute path leads, without links; "" where nothing is there. Throws Error(`code`),
// which begins with `what` ("-C"), where one of its links lies in a directory in which agents of
// this home work: a command of theirs may have put it there.
std::string named_path(store::Store& store, const agent::Home& home, base::ErrorCode code,
                       const std::string& what, const std::string& path);

// Throws Error(bad_request), which begins with `what`, where agents do not work: /, the user's home
// directory, what holds the home or lies in it, and a git directory and what lies in one. `path`
// is a real path.
void check_place(const agent::Home& home, const sys::Environment& environment,
                 const std::string& what, const std::string& path);
// Throws Error(bad_request) likewise for a directory that others can write: what they put there
// would speak to the model, and be run.
void refuse_shared(const std::string& path, const std::string& what);
// The real path of the home directory that the environment names; "" where there is none.
std::string user_home(const sys::Environment& environment);

}  // namespace chorus::life
