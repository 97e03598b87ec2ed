#include <algorithm>
#include <iostream>
#include <memory>

#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/verb.hpp"
#include "cli/time_text.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::tasks_command {
namespace {

using base::ExitStatus;

struct Options {
    std::string agent;
    std::vector<std::string> ids;
    std::string timeout;
    bool json = false;
};

ExitStatus run(const Options& options, Opened& opened) {
    const task::Site site = require_site(opened, options.agent);
    for (const std::string& id : options.ids) (void)task::require_task(site, id);
    const std::int64_t most_ms =
        options.timeout.empty() ? -1 : cli::require_duration_ms(options.timeout, "--timeout");
    const std::int64_t until_ms = sys::monotonic_ms() + most_ms;
    const sys::Interrupt& interrupt = sys::Interrupt::install();
    ExitStatus status = ExitStatus::done;
    for (const std::string& id : options.ids) {
        const std::int64_t left_ms =
            most_ms < 0 ? -1 : std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0);
        const auto task =
            task::wait(site, id, left_ms, [&interrupt] { return interrupt.requested(); });
        if (interrupt.requested())
            throw base::Error(base::ErrorCode::canceled, "wait: interrupted");
        if (!task)
            throw base::Error(base::ErrorCode::timeout,
                              "wait: task " + one_line(id) + " did not end in time");
        tell_end(*task);
        if (options.json) std::cout << json_of(*task, options.agent) << std::endl;
        if (status == ExitStatus::done) status = status_of(*task);
    }
    tell_plants(site);
    task::mirror(site);
    return status;
}

}  // namespace

Action add_wait(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent").required();
    verb.list("ID", options->ids, "the tasks").required();
    verb.option("--timeout TIME", options->timeout, "wait at most TIME, then exit with 124");
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
