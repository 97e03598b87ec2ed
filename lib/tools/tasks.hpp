// What the tools of background tasks work with; one a turn.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "policy/redaction.hpp"
#include "sys/environment.hpp"
#include "task/task.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

struct Tasks {
    task::Site site;
    const sys::Environment& own;         // of this process
    std::function<store::Task()> about;  // of one that this turn starts: all but its command
    const policy::Redaction& secrets;    // what logs do not hold
    std::int64_t grace_ms = 0;           // from SIGTERM to SIGKILL
    std::mutex mutex = {};               // tools run side by side, and the store is one's at a time
    // Of the turn's last command: to make git's mount points anew for the next one, and to remove
    // them while its mounts go, takes milliseconds.
    std::vector<std::shared_ptr<const void>> held = {};
};

// bash with `background`.
chat::ToolResult start_task(const Arguments& arguments, const Workplace& workplace);

// "task_001: exit status 0" and the output of the one that the arguments name.
chat::ToolResult show_task(const store::Task& task, const Tasks& tasks);
// Nothing where no tasks can be had, as in a test of other tools.
chat::ToolResult no_tasks();

// "output task_001"
std::string task_detail(const char* verb, const Arguments& arguments);

}  // namespace chorus::tools
