#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/process.hpp"
#include "tools/obeyed.hpp"
#include "tools/result.hpp"
#include "tools/task_tools.hpp"

namespace chorus::tools {
namespace {

namespace limits = base::limits;

std::string seconds(std::int64_t ms) {
    const std::int64_t tenths = (ms + 50) / 100;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string header(const sys::Finished& finished, std::int64_t timeout_ms, std::int64_t most_ms) {
    if (finished.stopped)
        return "stopped after " + seconds(finished.duration_ms) + ": the turn is being ended";
    if (finished.timed_out)
        return "timed out after " + std::to_string(timeout_ms / 1000) +
               " s and was ended; 'timeout' may be up to " + std::to_string(most_ms / 1000);
    if (finished.signal != 0)
        return "ended by signal " + base::signal_name(finished.signal) + ", " +
               seconds(finished.duration_ms);
    return "exit status " + std::to_string(finished.exit_code) + ", " +
           seconds(finished.duration_ms);
}

sys::Finished run_in(const Workplace& workplace, const sys::ProcessCommand& shell,
                     const sys::Bounds& bounds, std::string& note) {
    const sys::ProcessCommand command = sys::sandboxed(workplace.sandbox, shell);
    if (workplace.sandbox.mode == sys::SandboxMode::off) return sys::run(command, bounds);
    if (workplace.tasks != nullptr) workplace.tasks->held = command.held;
    task::KeptPlants before = look_for_plants(workplace);
    sys::Finished finished = sys::run(command, bounds);
    note = tell_plants(before, "while a command ran", workplace);
    if (finished.replaced.empty()) return finished;
    note += alert(workplace, {finished.replaced, finished.replaced}, "");
    return finished;
}

chat::ToolResult run_command(const Arguments& arguments, const Workplace& workplace) {
    const std::string command = arguments.text("command");
    if (base::trim(command).empty()) return failure("bash: the command is empty");
    if (command.find('\0') != std::string::npos)
        return failure("bash: the command contains a NUL byte");
    if (workplace.sandbox_problem) return no_command(*workplace.sandbox_problem);
    const std::int64_t most_s = workplace.bash_most_ms / 1000;
    const std::int64_t default_s = std::min(limits::bash_default_ms / 1000, most_s);
    const std::int64_t asked_s = arguments.integer("timeout", default_s);
    if (asked_s < 1) return failure("bash: 'timeout' is in seconds, at least 1");
    if (arguments.flag("background")) return start_task(arguments, workplace);
    if (arguments.has("on_exit")) return failure("bash: 'on_exit' needs 'background'");
    const std::int64_t timeout_ms = std::min(asked_s, most_s) * 1000;

    sys::ProcessCommand shell = sys::shell_command(workplace.sandbox, command);
    shell.environment = workplace.environment;
    shell.directory = workplace.root.path();
    const sys::Bounds bounds{.timeout_ms = timeout_ms,
                             .grace_ms = limits::bash_grace_ms,
                             .output_bytes = captured_bytes,
                             .stop = workplace.stop,
                             .stop_grace_ms = workplace.stop_grace_ms};
    std::string note;
    const sys::Finished finished = run_in(workplace, shell, bounds, note);
    std::string text = header(finished, timeout_ms, workplace.bash_most_ms) + "\n";
    if (asked_s > most_s)
        text += "[timeout " + std::to_string(asked_s) + " s is more than allowed, " +
                std::to_string(most_s) + " s was used]\n";
    return answer(text + captured_text(finished.out, finished.err) + note, Keep::end);
}

}  // namespace

chat::ToolResult no_command(const base::Error& problem) {
    return failure("bash: no command can run: " + problem.message() +
                   (problem.hint().empty() ? "" : "\nhint: " + problem.hint()));
}

Tool bash_tool() {
    return {
        .parameters = {{"command", "string", "command for `bash -c`, run in the workspace", true},
                       {"timeout", "integer",
                        "seconds after which it is ended; default 120, no limit in background"},
                       {"background", "boolean",
                        "start it as a task that outlives the turn; the result names the task"},
                       {"on_exit", "string",
                        "with background: message that you get, in a new turn, when it has ended"}},
        .kind = Class::command,
        .shown = {"command"},
        .run = run_command};
}

}  // namespace chorus::tools
