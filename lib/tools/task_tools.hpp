// What the tools of background tasks work with; one per turn.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "policy/redaction.hpp"
#include "sys/environment.hpp"
#include "task/task.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

struct Tasks {
    task::Site site;
    const sys::Environment& own;         // of this process
    std::function<store::Task()> about;  // a task that this turn starts, all but its command
    const policy::Redaction& secrets;    // removed from logs
    std::int64_t grace_ms = 0;           // from SIGTERM to SIGKILL
    bool may_start = true;               // one that outlives the turn
    std::mutex mutex = {};  // tools run in parallel, and one at a time may use the store
    // Git's mount points of the turn's last command, kept for the next one: removing and creating
    // them takes milliseconds.
    std::vector<std::shared_ptr<const void>> held = {};
};

// Runs bash with `background`.
chat::ToolResult start_task(const Arguments& arguments, const Workplace& workplace);

}  // namespace chorus::tools
