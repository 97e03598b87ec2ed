#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "chorus-tasks/verb.hpp"
#include "cli/main.hpp"
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
    Verb{"prompts", "what waits for a person", tasks_command::add_prompts},
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

std::function<ExitStatus()> add_verbs(CLI::App& app) {
    app.require_subcommand(0, 1);
    const auto chosen = std::make_shared<Action>(tasks_command::add_overview(app));
    for (const Verb& verb : verbs) {
        CLI::App* command = app.add_subcommand(std::string(verb.name), std::string(verb.help));
        command->callback([chosen, action = verb.add(*command)] { *chosen = action; });
    }
    // what task::start begins; its instructions are on stdin
    CLI::App* supervise = app.add_subcommand("supervise", "for chorus itself")->group("");
    return [chosen, supervise] {
        if (!supervise->parsed()) return run(*chosen);
        task::supervise(sys::read_all(STDIN_FILENO, most_order_bytes, "order"));
        return ExitStatus::done;
    };
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main(argc, argv,
                         {.name = tasks_command::program,
                          .description = "What agents do, and what waits for a person.",
                          .options = add_verbs,
                          .on_error = {},
                          .may_be_empty = {"COMMAND"},
                          .redact = turn::redacted});
}
