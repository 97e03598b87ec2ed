// What spawn_agent works with; one per turn.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"

namespace chorus::tools {

struct SpawnRequest {
    std::string call_id;
    std::string preset;
    std::string description;
    std::optional<std::vector<std::string>> allowed_paths = {};
    std::vector<std::string> denied_paths = {};
    bool wait = true;
    bool isolate = false;
};

struct SubAgents {
    // Creates the sub-agent of a call, or returns the one that was created for it before. Throws as
    // place::spawn_sub_agent does, and then nothing is made.
    std::function<std::string(const SpawnRequest&)> create;
    // Runs the turn of that sub-agent for the call, in its own process, and waits for its result.
    // If the turn has ended before, returns its result; if another process is at work on it, waits
    // for it. Returns nothing if the turn waits for a person's decision. May be called from several
    // threads.
    std::function<std::optional<chat::ToolResult>(
        const std::string& sub_agent, const SpawnRequest& request, const std::string& prompt)>
        run;
    // Starts the turn of that sub-agent in a background task, whose process leaves the result in
    // the inbox; returns what the call is told. Does nothing for a call that has started its task.
    std::function<chat::ToolResult(const std::string& sub_agent, const SpawnRequest& request,
                                   const std::string& prompt)>
        start;
};

}  // namespace chorus::tools
