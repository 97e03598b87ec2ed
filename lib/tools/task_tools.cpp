#include "tools/task_tools.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/file.hpp"
#include "tools/captured.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

sys::Captured tail_of(const std::string& path) {
    sys::Tail tail = sys::read_tail(path, captured_bytes);
    return {std::move(tail.text), tail.total_bytes};
}

}  // namespace

chat::ToolResult no_tasks() {
    return failure("background tasks are not available here");
}

std::string task_detail(const char* verb, const Arguments& arguments) {
    return std::string(verb) + " " + arguments.text("task_id");
}

chat::ToolResult start_task(const Arguments& arguments, const Workplace& workplace) {
    if (workplace.tasks == nullptr) return no_tasks();
    Tasks& tasks = *workplace.tasks;
    const std::lock_guard guard(tasks.mutex);
    task::Order order{.about = tasks.about(),
                      .environment = workplace.environment,
                      .sandbox = workplace.sandbox,
                      .timeout_ms = arguments.integer("timeout", 0) * 1000,
                      .grace_ms = tasks.grace_ms,
                      .secrets = tasks.secrets.active()};
    order.about.command = arguments.text("command");
    order.about.directory = workplace.root.path();
    order.about.tool_call_id = workplace.call_id;
    order.about.on_exit = arguments.text("on_exit");
    order.about.goes_on = !order.about.on_exit.empty();
    const store::Task task = task::start(tasks.site, order, tasks.own);
    task::mirror(tasks.site);
    return answer(task.id + " started in the background at " + base::iso8601(task.started_at) +
                  "\n");
}

chat::ToolResult show_task(const store::Task& task, const Tasks& tasks) {
    std::string text =
        task.id + ": " + store::outcome(task) + "; started " + base::iso8601(task.started_at);
    if (task.ended_at != 0) text += ", ended " + base::iso8601(task.ended_at);
    if (!task.note.empty()) text += "\n[" + task.note + "]";
    const agent::Directory& directory = tasks.site.directory;
    return answer(text + "\n" +
                      captured_text(tail_of(directory.task_out(task.id)),
                                    tail_of(directory.task_err(task.id))),
                  Keep::end);
}

}  // namespace chorus::tools
