#include <unistd.h>

#include <array>

#include "chorus-tasks/verb.hpp"
#include "cli/main.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "sys/fd.hpp"
#include "turn/secrets.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using tasks_command::Action;
using tasks_command::Opened;
using tasks_command::Verb;

constexpr std::size_t most_order_bytes = 64U << 20;

constexpr std::array verbs{
    Verb{"answer", "answer a question", tasks_command::add_answer},
    Verb{"approve", "let a call run", tasks_command::add_approve},
    Verb{"cancel", "end what an agent is doing", tasks_command::add_cancel},
    Verb{"deny", "refuse a call, or to answer", tasks_command::add_deny},
    Verb{"events", "every change of state, in order", tasks_command::add_events},
    Verb{"kill", "end tasks", tasks_command::add_kill},
    Verb{"list", "the background tasks of an agent", tasks_command::add_list},
    Verb{"log", "what a task has written", tasks_command::add_log},
    Verb{"pending", "what waits for a person", tasks_command::add_pending},
    Verb{"ready", "whether an agent can take a turn: exit 0 or 4", tasks_command::add_ready},
    Verb{"run", "start a task by hand", tasks_command::add_run},
    Verb{"status", "the state of an agent", tasks_command::add_status},
    Verb{"steps", "what a turn did, and how long it took", tasks_command::add_steps},
    Verb{"threads", "what the threads of an agent do", tasks_command::add_threads},
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
    // what task::start begins; its instructions are on stdin
    all.push_back({.name = "supervise",
                   .about = "for chorus itself",
                   .options = [](cli::Command&) { return supervise; },
                   .is_hidden = true});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main(
        argc, argv,
        {.name = tasks_command::program,
         .description = "What agents do, and what waits for a person.",
         .options =
             [](cli::Command& command) { return with(tasks_command::add_overview(command)); },
         .verbs = all_verbs(),
         .agent_here = life::name_here,
         .redact = turn::redacted});
}
