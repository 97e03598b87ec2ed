// Which thread is meant: main, a number, or a branch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// The branch that `current` names: "main" unless the link says otherwise.
std::string current_branch(const agent::Directory& directory);
// Those of the agent's threads that are a branch of their own, main first.
std::vector<store::Thread> branch_threads(store::Store& store, const store::Agent& agent);
// By its name in full, or as it was given. Error(bad_request) where several were given that name.
std::optional<store::Thread> find_branch(store::Store& store, const store::Agent& agent,
                                         std::string_view name);
// What -t takes; "" is the branch that `current` names. Error(not_found), and as of find_branch.
store::Thread require_thread(store::Store& store, const store::Agent& agent,
                             const agent::Directory& directory, const std::string& wanted);

}  // namespace chorus::context
