#include "tools/result.hpp"
#include "tools/task_tools.hpp"

namespace chorus::embedded {
extern const std::string_view tool_task_kill;
}

namespace chorus::tools {
namespace {

std::string detail(const Arguments& arguments, const Workplace&) {
    return task_detail("kill", arguments);
}

chat::ToolResult run(const Arguments& arguments, const Workplace& workplace) {
    if (workplace.tasks == nullptr) return no_tasks();
    Tasks& tasks = *workplace.tasks;
    const std::lock_guard guard(tasks.mutex);
    const store::Task task = task::require_task(tasks.site, arguments.text("task_id"));
    const store::Task ended = task::end(tasks.site, {task}, tasks.grace_ms).front();
    task::mirror(tasks.site);
    return show_task(ended, tasks);
}

}  // namespace

Tool task_kill_tool() {
    return {"task_kill",
            embedded::tool_task_kill,
            {{"task_id", "string", "id that bash returned, such as task_001", true}},
            Class::write,
            "task",
            detail,
            run};
}

}  // namespace chorus::tools
