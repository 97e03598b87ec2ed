// Where in a home only Chorus writes: everywhere but in the agents' workspaces.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "sys/output_file.hpp"

namespace chorus::agent {

// Whether a file of that name is or would be in the home, wherever links lead. A relative path
// begins in the working directory.
bool is_in_home(const Home& home, const std::string& path);
// The same, but for what lies in an agent's workspace.
bool is_own_place(const Home& home, const std::string& path);
// Error(bad_request) where it is.
sys::OutputFile::Check refuse_own_places(const Home& home);

}  // namespace chorus::agent
