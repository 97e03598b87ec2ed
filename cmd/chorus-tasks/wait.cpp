#include <algorithm>
#include <iostream>

#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

using store::Task;

struct Wait : OfTasks {
    explicit Wait(cli::Command& verb) : OfTasks(verb) {
        verb.list("ID", ids, "the tasks").required();
        verb.option("--timeout TIME", timeout, "wait at most TIME, then exit with 124");
    }

    // Returns the exit status of the task, 128 + its signal, or 1 if its end is unknown.
    static ExitStatus status_of(const Task& task) {
        if (task.signal != 0) return static_cast<ExitStatus>(128 + task.signal);
        if (task.exit_code >= 0) return static_cast<ExitStatus>(task.exit_code);
        return ExitStatus::failed;
    }

    ExitStatus run(Opened& opened) const {
        const task::Site place = site(opened);
        for (const std::string& id : ids) (void)task::require_task(place, id);
        const std::int64_t most_ms =
            timeout.empty() ? -1 : cli::require_duration_ms(timeout, "--timeout");
        const std::int64_t until_ms = sys::monotonic_ms() + most_ms;
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        ExitStatus status = ExitStatus::done;
        for (const std::string& id : ids) {
            const std::int64_t left_ms =
                most_ms < 0 ? -1 : std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0);
            const auto task =
                task::wait(place, id, left_ms, [&interrupt] { return interrupt.requested(); });
            if (interrupt.requested()) throw Error(ErrorCode::canceled, "wait: interrupted");
            if (!task)
                throw Error(ErrorCode::timeout,
                            "wait: task " + one_line(id) + " did not end in time");
            tell_end(*task);
            if (json) std::cout << cli::json("task", fields_of(*task, name)) << std::endl;
            if (status == ExitStatus::done) status = status_of(*task);
        }
        tell_plants(place);
        task::mirror(place);
        return status;
    }

    std::string timeout;
};

}  // namespace

const cli::Verb wait_verb = verb<Wait>("wait", "wait for tasks to end", json_lines);

}  // namespace chorus::command
