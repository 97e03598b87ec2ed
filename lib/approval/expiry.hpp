// Prompts that nobody decided in time expire.
#pragma once

#include <optional>
#include <vector>

#include "store/prompts.hpp"
#include "store/store.hpp"

namespace chorus::approval {

// Expires the overdue prompts of the whole home. Not inside a transaction.
void expire_prompts(store::Store& store);

// Returns the pending prompts of one agent or of the whole home, after expiring overdue ones.
std::vector<store::Prompt> waiting_prompts(store::Store& store,
                                           std::optional<store::AgentId> agent);

}  // namespace chorus::approval
