// "." on a command line: the agent of the directory in which this process stands.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "life/birth.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

struct Here {
    std::string root;   // of the repository around it, else the directory itself; a real path
    std::string below;  // where in it the process stands: "src/lib", "" for the root
};
// Error(bad_request), which begins with `what`, where agents do not work (named_path.hpp) and where
// others could put files.
Here find_here(const agent::Home& home, const sys::Environment& environment,
               const std::string& what);

// Error(not_found) where the directory has no agent.
store::Agent agent_here(store::Store& store, const Here& here);
// Its name, for a program that has not opened the home yet.
std::string name_here();
// The one there is, else one that is made with the name of the directory, or that and a number
// where the name is taken. Of several processes at once one makes it.
Birth settle_here(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                  const Here& here, BirthOptions options);
// The name of a new agent of that directory: a free one.
std::string name_for(const agent::Home& home, store::Store& store, const Here& here);

}  // namespace chorus::life
