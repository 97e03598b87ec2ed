#include <CLI/CLI.hpp>
#include <array>

#include "chorus-context/verb.hpp"
#include "cli/main.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using context_command::Action;
using context_command::Needs;
using context_command::Opened;
using context_command::Verb;

constexpr std::array verbs{
    Verb{"artifacts", "the named outputs of an agent", Needs::store,
         context_command::add_artifacts},
    Verb{"audit", "what was decided, and by whom", Needs::store, context_command::add_audit},
    Verb{"backup", "a copy of the database, made beside whoever works with it", Needs::store,
         context_command::add_backup},
    Verb{"explain", "what would be decided, and why", Needs::home, context_command::add_explain},
    Verb{"log", "what an agent did, a line a turn", Needs::store, context_command::add_log},
    Verb{"messages", "everything that was said, whatever the window", Needs::store,
         context_command::add_messages},
    Verb{"search", "full-text search over everything that was said", Needs::store,
         context_command::add_search},
    Verb{"show", "the window, or all that the next request would hold", Needs::home,
         context_command::add_show},
    Verb{"usage", "tokens and dollars", Needs::store, context_command::add_usage},
    Verb{"verify", "whether the audit log, or what was sent, is what was written", Needs::store,
         context_command::add_verify},
};

ExitStatus run(Needs needs, const Action& action) {
    sys::Environment environment = model::take_environment();
    const agent::Home home = agent::find_home(environment);
    Opened opened{std::move(environment), home, std::nullopt};
    if (needs == Needs::store)
        opened.store = life::open_home(home, opened.environment, agent::IfMissing::refuse,
                                       agent::groom_in_force("", opened.environment));
    return action(opened);
}

std::function<ExitStatus()> add_verbs(CLI::App& app) {
    app.require_subcommand(1);
    const auto chosen = std::make_shared<std::function<ExitStatus()>>();
    for (const Verb& verb : verbs) {
        CLI::App* command = app.add_subcommand(std::string(verb.name), std::string(verb.help));
        const Action action = verb.add(*command);
        command->callback(
            [chosen, action, needs = verb.needs] { *chosen = [=] { return run(needs, action); }; });
    }
    return [chosen] { return (*chosen)(); };
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main(argc, argv,
                         {.name = "chorus-context",
                          .description = "What agents did, may do and see.",
                          .options = add_verbs,
                          .on_error = {}});
}
