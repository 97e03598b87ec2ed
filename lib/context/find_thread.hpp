// Finds a thread by what names it: main, a number, or a branch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// Returns the agent's threads that have a branch of their own, main first.
std::vector<store::Thread> branch_threads(store::Store& store, const store::Agent& agent);
// Finds a branch by its full name or by its given name. Throws Error(bad_request) if several were
// given that name.
std::optional<store::Thread> find_branch(store::Store& store, const store::Agent& agent,
                                         std::string_view name);
// Returns the thread that the value of -t names; "" is the branch that `current` names. Throws
// Error(not_found), and what find_branch throws.
store::Thread require_thread(store::Store& store, const store::Agent& agent,
                             const agent::Directory& directory, const std::string& wanted);

}  // namespace chorus::context
