#include <array>

#include "chorus-context/verb.hpp"
#include "cli/main.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using context_command::Action;
using context_command::Needs;
using context_command::Opened;
using context_command::Verb;

constexpr std::array verbs{
    Verb{"artifacts", "list the artifacts of an agent", Needs::store,
         context_command::add_artifacts},
    Verb{"audit", "print the audit log: what was decided, and by whom", Needs::store,
         context_command::add_audit},
    Verb{"backup", "copy the database while it is in use, or restore a copy", Needs::home,
         context_command::add_backup},
    Verb{"branch", "fork a thread at a message", Needs::store, context_command::add_branch},
    Verb{"branches", "list the branches of an agent", Needs::store, context_command::add_branches},
    Verb{"clear", "start a new context; earlier messages are kept but not sent", Needs::store,
         context_command::add_clear},
    Verb{"compact", "replace the older half of the window with a summary", Needs::store,
         context_command::add_compact},
    Verb{"explain", "show how an action would be decided, and why", Needs::home,
         context_command::add_explain},
    Verb{"export", "write the conversation as a transcript or as JSON", Needs::store,
         context_command::add_export},
    Verb{"history", "list saved sessions, newest first", Needs::store,
         context_command::add_history},
    Verb{"idle-save", "save and clear the contexts of idle agents", Needs::store,
         context_command::add_idle_save},
    Verb{"import", "import a conversation that export wrote as JSON lines", Needs::store,
         context_command::add_import},
    Verb{"log", "list the turns of an agent", Needs::store, context_command::add_log},
    Verb{"messages", "print all messages, also those outside the window", Needs::store,
         context_command::add_messages},
    Verb{"pack", "write an agent to an archive, for another machine", Needs::store,
         context_command::add_pack},
    Verb{"restore", "make a saved session the current context", Needs::store,
         context_command::add_restore},
    Verb{"rewind", "go back to before a message", Needs::store, context_command::add_rewind},
    Verb{"save", "save the context as a session", Needs::store, context_command::add_save},
    Verb{"search", "search all messages (full text)", Needs::store, context_command::add_search},
    Verb{"show", "print the window, or the whole next request", Needs::home,
         context_command::add_show},
    Verb{"switch", "make another branch the current one", Needs::store,
         context_command::add_switch},
    Verb{"usage", "print tokens and cost", Needs::store, context_command::add_usage},
    Verb{"verify", "check the integrity of the audit log", Needs::store,
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
                          .description = "Read and change what is recorded about agents: messages, "
                                         "sessions, branches, audit log.",
                          .verbs = all_verbs(),
                          .agent_here = life::name_here,
                          .redact = place::redacted});
}
