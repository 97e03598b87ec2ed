#include <unistd.h>

#include <array>

#include "chorus-tasks/verb.hpp"
#include "cli/main.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"
#include "sys/fd.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using tasks_command::Action;
using tasks_command::Opened;
using tasks_command::Verb;

constexpr std::size_t most_order_bytes = 64U << 20;

constexpr std::array verbs{
    Verb{"answer", "answer a question", tasks_command::add_answer},
    Verb{"approve", "approve a call", tasks_command::add_approve},
    Verb{"cancel", "cancel the running turns of an agent", tasks_command::add_cancel},
    Verb{"deny", "deny a call, or refuse to answer a question", tasks_command::add_deny},
    Verb{"events", "list changes of state, in order", tasks_command::add_events},
    Verb{"kill", "end background tasks", tasks_command::add_kill},
    Verb{"list", "list the background tasks of an agent", tasks_command::add_list},
    Verb{"log", "print the output of a task", tasks_command::add_log},
    Verb{"pending", "list pending questions", tasks_command::add_pending},
    Verb{"ready", "check whether an agent can take a turn: exit 0 or 4", tasks_command::add_ready},
    Verb{"run", "start a background task", tasks_command::add_run},
    Verb{"status", "show the state of an agent", tasks_command::add_status},
    Verb{"steps", "list the steps of a turn and how long they took", tasks_command::add_steps},
    Verb{"threads", "list the threads of an agent and what they do", tasks_command::add_threads},
    Verb{"wait", "wait for tasks to end", tasks_command::add_wait},
};

ExitStatus run(const Action& action) {
    sys::Environment environment = model::take_environment();
    const agent::Home home = agent::find_home(environment);
    store::Store store = life::open_home(home, environment, agent::IfMissing::refuse,
                                         agent::groom_in_force("", environment));
    Opened opened{std::move(environment), home, std::move(store)};
    return action(opened);
}

cli::Action with(const Action& action) {
    return [action] { return run(action); };
}

ExitStatus supervise() {
    task::supervise(sys::read_all(STDIN_FILENO, most_order_bytes, "order"));
    return ExitStatus::done;
}

std::vector<cli::Verb> all_verbs() {
    std::vector<cli::Verb> all;
    for (const Verb& verb : verbs)
        all.push_back({verb.name, verb.help,
                       [&verb](cli::Command& command) { return with(verb.add(command)); }});
    // started by task::start, which writes the order to its stdin
    all.push_back({.name = "supervise",
                   .about = "supervise a task (internal)",
                   .options = [](cli::Command&) { return supervise; },
                   .is_hidden = true});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main(
        argc, argv,
        {.name = tasks_command::program,
         .description = "Show what agents do, manage background tasks, decide pending questions.",
         .options =
             [](cli::Command& command) { return with(tasks_command::add_overview(command)); },
         .verbs = all_verbs(),
         .agent_here = life::name_here,
         .redact = place::redacted});
}
