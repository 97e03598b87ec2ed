#include <unistd.h>

#include "chorus-tasks/verbs.hpp"
#include "command/verb.hpp"
#include "sys/fd.hpp"
#include "task/task.hpp"

namespace {

using namespace chorus;

constexpr std::size_t most_order_bytes = 64U << 20;

base::ExitStatus supervise() {
    task::supervise(sys::read_all(STDIN_FILENO, most_order_bytes, "order"));
    return base::ExitStatus::done;
}

// Started by task::start, which writes the order to its stdin.
const cli::Verb supervise_verb{.name = "supervise",
                               .about = "supervise a task (internal)",
                               .options = [](cli::Command&) { return supervise; },
                               .is_hidden = true};

}  // namespace

int main(int argc, char** argv) {
    return command::run_program(
        argc, argv,
        {.name = "chorus-tasks",
         .description = "Show what agents do, manage background tasks, decide pending questions.",
         .options = command::overview,
         .verbs = {command::answer_verb, command::approve_verb, command::cancel_verb,
                   command::deny_verb, command::events_verb, command::kill_verb, command::list_verb,
                   command::log_verb, command::pending_verb, command::ready_verb, command::run_verb,
                   command::status_verb, command::steps_verb, command::threads_verb,
                   command::wait_verb, supervise_verb}});
}
