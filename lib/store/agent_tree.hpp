// SQL shared by the tables that have an agent's id.
#pragma once

#include <string>
#include <string_view>

namespace chorus::store {

// Returns a subquery for the ids of an agent and its sub-agents, at any depth. `root` selects the
// agent's id.
inline std::string agent_tree(std::string_view root) {
    return "(WITH RECURSIVE tree(id) AS (" + std::string(root) +
           " UNION SELECT agents.id FROM agents JOIN tree ON agents.parent_id = tree.id) SELECT id "
           "FROM tree)";
}

}  // namespace chorus::store
