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

std::vector<cli::Verb> all_verbs() {
    std::vector<cli::Verb> all{command::answer_verb, command::approve_verb, command::cancel_verb,
                               command::deny_verb,   command::events_verb,  command::kill_verb,
                               command::list_verb,   command::log_verb,     command::pending_verb,
                               command::ready_verb,  command::run_verb,     command::status_verb,
                               command::steps_verb,  command::threads_verb, command::wait_verb};
    // started by task::start, which writes the order to its stdin
    all.push_back({.name = "supervise",
                   .about = "supervise a task (internal)",
                   .options = [](cli::Command&) { return supervise; },
                   .is_hidden = true});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return command::run_program(
        argc, argv,
        {.name = "chorus-tasks",
         .description = "Show what agents do, manage background tasks, decide pending questions.",
         .options = command::overview,
         .verbs = all_verbs()});
}
