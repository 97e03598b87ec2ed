// The interface of the tools about other agents; one per turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace chorus::tools {

struct OtherAgent {
    std::string name;  // or the id of a sub-agent
    std::string description;
    std::string above;  // of a sub-agent of the own agent: the one above it; else ""
    bool is_self = false;
};

struct OtherAgents {
    // The agents of the home, and the sub-agents of the own one.
    std::function<std::vector<OtherAgent>()> all;
    // Error(not_found) for an agent that is not among them.
    std::function<std::string(const std::string& target)> documents;
    // Leaves a message in the target's inbox, once for each call. Error(not_found),
    // Error(bad_request), Error(limit).
    std::function<void(const std::string& target, const std::string& text,
                       const std::string& call_id)>
        send;
};

}  // namespace chorus::tools
