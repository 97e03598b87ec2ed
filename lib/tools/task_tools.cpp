#include "tools/task_tools.hpp"

#include <algorithm>

#include "base/time.hpp"
#include "sys/file.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

sys::Captured tail_of(const std::string& path) {
    sys::Tail tail = sys::read_tail(path, captured_bytes);
    return {std::move(tail.text), tail.total_bytes};
}

// Returns "task_001: exit status 0" and the task's output.
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

chat::ToolResult kill(const Arguments& arguments, const Workplace& workplace) {
    Tasks& tasks = *workplace.tasks;
    const std::lock_guard guard(tasks.mutex);
    const store::Task task = task::require_task(tasks.site, arguments.text("task_id"));
    const store::Task ended = task::end(tasks.site, {task}, tasks.grace_ms).front();
    task::mirror(tasks.site);
    return show_task(ended, tasks);
}

chat::ToolResult output(const Arguments& arguments, const Workplace& workplace) {
    Tasks& tasks = *workplace.tasks;
    const std::lock_guard guard(tasks.mutex);
    return show_task(task::require_task(tasks.site, arguments.text("task_id")), tasks);
}

chat::ToolResult wait(const Arguments& arguments, const Workplace& workplace) {
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

constexpr Parameter task_id{"task_id", "string", "id that bash returned, such as task_001", true};

}  // namespace

chat::ToolResult start_task(const Arguments& arguments, const Workplace& workplace) {
    Tasks& tasks = *workplace.tasks;
    if (!tasks.may_start) return failure("bash: no 'background' in a turn with --ephemeral");
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

Tool task_kill_tool() {
    return {.parameters = {task_id},
            .kind = Class::write,
            .family = "task",
            .detail = [](const Arguments& arguments,
                         const Workplace&) { return "kill " + arguments.text("task_id"); },
            .run = kill};
}

Tool task_output_tool() {
    return {.parameters = {task_id},
            .kind = Class::read,
            .family = "task",
            .detail = [](const Arguments& arguments,
                         const Workplace&) { return "output " + arguments.text("task_id"); },
            .run = output};
}

Tool task_wait_tool() {
    return {.parameters = {task_id, {"timeout", "integer", "maximum seconds to wait; default 120"}},
            .kind = Class::read,
            .family = "task",
            .detail = [](const Arguments& arguments,
                         const Workplace&) { return "wait " + arguments.text("task_id"); },
            .run = wait};
}

}  // namespace chorus::tools
