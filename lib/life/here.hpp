// "." on a command line: the agent of the current directory.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "life/birth.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

struct Here {
    std::string root;   // root of its repository, else the directory; a real path
    std::string below;  // current directory in it: "src/lib", "" for the root
};
// Error(bad_request), starting with `what`, in places where agents do not work (named_path.hpp) or
// where other users can write.
Here find_here(const agent::Home& home, const sys::Environment& environment,
               const std::string& what);

// Error(not_found) if the directory has no agent.
store::Agent agent_here(store::Store& store, const Here& here);
// Returns its name, for a program that has not opened the home yet.
std::string name_here();
// Returns the directory's agent, or creates one with the name of the directory, with a number if
// that name is taken. If several processes do this at once, only one creates it.
Birth settle_here(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                  const Here& here, BirthOptions options);
// Returns a free name for a new agent of that directory.
std::string name_for(const agent::Home& home, store::Store& store, const Here& here);

}  // namespace chorus::life
