// The places in a home where only Chorus writes: everywhere except the agents' workspaces.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "sys/named_file.hpp"

namespace chorus::agent {

// Returns whether a file with that name is or would be in the home, with links followed. A relative
// path starts in the working directory.
bool is_in_home(const Home& home, const std::string& path);
// The same, except for paths in an agent's workspace.
bool is_own_place(const Home& home, const std::string& path);
// Throws Error(bad_request) for such a place.
sys::OutputFile::Check refuse_own_places(const Home& home);

}  // namespace chorus::agent
