#include <algorithm>

#include "tools/result.hpp"
#include "tools/task_tools.hpp"

namespace chorus::embedded {
extern const std::string_view tool_task_wait;
}

namespace chorus::tools {
namespace {

std::string detail(const Arguments& arguments, const Workplace&) {
    return task_detail("wait", arguments);
}

chat::ToolResult run(const Arguments& arguments, const Workplace& workplace) {
    if (workplace.tasks == nullptr) return no_tasks();
    Tasks& tasks = *workplace.tasks;
    const std::int64_t asked_s = arguments.integer("timeout", base::limits::bash_default_ms / 1000);
    if (asked_s < 0) return failure("task_wait: 'timeout' is in seconds, at least 0");
    const std::int64_t wait_ms = std::min(asked_s, workplace.bash_most_ms / 1000) * 1000;
    std::unique_lock guard(tasks.mutex);
    const store::Task task = task::require_task(tasks.site, arguments.text("task_id"));
    guard.unlock();
    if (task.ended_at == 0) task::await_end(tasks.site, task, wait_ms, workplace.stop);
    guard.lock();
    return show_task(task::require_task(tasks.site, task.id), tasks);
}

}  // namespace

Tool task_wait_tool() {
    return {"task_wait",
            embedded::tool_task_wait,
            {{"task_id", "string", "id that bash returned, such as task_001", true},
             {"timeout", "integer", "maximum seconds to wait; default 120"}},
            Class::read,
            "task",
            detail,
            run};
}

}  // namespace chorus::tools
