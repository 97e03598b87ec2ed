#include <array>

#include "chorus-context/verb.hpp"
#include "cli/main.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "turn/secrets.hpp"

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
    Verb{"backup", "copy the database while others work with it, or put a copy back", Needs::home,
         context_command::add_backup},
    Verb{"branch", "fork a thread at a message", Needs::store, context_command::add_branch},
    Verb{"branches", "the branches there are", Needs::store, context_command::add_branches},
    Verb{"clear", "begin anew: nothing said until now is sent again", Needs::store,
         context_command::add_clear},
    Verb{"compact", "put a summary in the place of the older half of the window", Needs::store,
         context_command::add_compact},
    Verb{"explain", "what would be decided, and why", Needs::home, context_command::add_explain},
    Verb{"export", "what was said, as a transcript or for another program", Needs::store,
         context_command::add_export},
    Verb{"history", "saved sessions, newest first", Needs::store, context_command::add_history},
    Verb{"idle-save", "save and clear what nobody has spoken to for long", Needs::store,
         context_command::add_idle_save},
    Verb{"import", "what export wrote as JSON lines, into an agent", Needs::store,
         context_command::add_import},
    Verb{"log", "what an agent did, a line a turn", Needs::store, context_command::add_log},
    Verb{"messages", "everything that was said, whatever the window", Needs::store,
         context_command::add_messages},
    Verb{"pack", "the whole agent, for another machine", Needs::store, context_command::add_pack},
    Verb{"restore", "make a saved session the context again", Needs::store,
         context_command::add_restore},
    Verb{"rewind", "back to before a message", Needs::store, context_command::add_rewind},
    Verb{"save", "save the context as a session", Needs::store, context_command::add_save},
    Verb{"search", "full-text search over everything that was said", Needs::store,
         context_command::add_search},
    Verb{"show", "the window, or all that the next request would hold", Needs::home,
         context_command::add_show},
    Verb{"switch", "go on in another branch", Needs::store, context_command::add_switch},
    Verb{"usage", "tokens and dollars", Needs::store, context_command::add_usage},
    Verb{"verify", "whether the audit log is what was written", Needs::store,
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

std::vector<cli::Verb> all_verbs() {
    std::vector<cli::Verb> all;
    for (const Verb& verb : verbs)
        all.push_back({verb.name, verb.help, [&verb](cli::Command& command) {
                           return [action = verb.add(command), needs = verb.needs] {
                               return run(needs, action);
                           };
                       }});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main(argc, argv,
                         {.name = "chorus-context",
                          .description = "What agents did, may do and see.",
                          .verbs = all_verbs(),
                          .agent_here = life::name_here,
                          .redact = turn::redacted});
}
