#include "tools/result.hpp"
#include "tools/task_tools.hpp"

namespace chorus::embedded {
extern const std::string_view tool_task_output;
}

namespace chorus::tools {
namespace {

std::string detail(const Arguments& arguments, const Workplace&) {
    return task_detail("output", arguments);
}

chat::ToolResult run(const Arguments& arguments, const Workplace& workplace) {
    if (workplace.tasks == nullptr) return no_tasks();
    Tasks& tasks = *workplace.tasks;
    const std::lock_guard guard(tasks.mutex);
    return show_task(task::require_task(tasks.site, arguments.text("task_id")), tasks);
}

}  // namespace

Tool task_output_tool() {
    return {"task_output",
            embedded::tool_task_output,
            {{"task_id", "string", "id that bash returned, such as task_001", true}},
            Class::read,
            "task",
            detail,
            run};
}

}  // namespace chorus::tools
