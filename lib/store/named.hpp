// What has a name that begins so, for the completion of words: in the order of the names, by an
// index, and of the first schema's columns only, as Store::look() may have an older one open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::store {

struct Named {
    std::string name;
    std::string about;  // as others wrote it, its beginning
};

enum class WhichTasks { all, running };

// Those that are not destroyed.
std::vector<Named> named_agents(Store& store, std::string_view beginning);
std::vector<Named> named_sessions(Store& store, AgentId agent, std::string_view beginning);
std::vector<Named> named_tasks(Store& store, AgentId agent, std::string_view beginning,
                               WhichTasks which);

// Number, branch, where they come from and summary; in order of their numbers.
std::vector<Thread> named_threads(Store& store, AgentId agent);

}  // namespace chorus::store
