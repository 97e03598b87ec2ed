// Names with a given beginning, for shell completion: sorted by name, read through an index, and
// from columns of the first schema only, because Store::look() may have an older database open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::store {

struct Named {
    std::string name;
    std::string about;  // the beginning of its description; untrusted text
};

enum class WhichTasks { all, running };

// Agents that are not destroyed.
std::vector<Named> named_agents(Store& store, std::string_view beginning);
std::vector<Named> named_sessions(Store& store, AgentId agent, std::string_view beginning);
std::vector<Named> named_tasks(Store& store, AgentId agent, std::string_view beginning,
                               WhichTasks which);

// Threads with number, branch, parent, branch point and summary only; by number.
std::vector<Thread> named_threads(Store& store, AgentId agent);

}  // namespace chorus::store
