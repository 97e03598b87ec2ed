
#include "chorus-config/call.hpp"
#include "cli/main.hpp"
#include "life/here.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using config::Call;

struct Verb {
    const char* name;
    const char* sentence;
    ExitStatus (*run)(const Call&, const sys::Environment&);
    void (*options)(cli::Command&, Call&);
};

void agent_option(cli::Command& app, Call& call) {
    app.option("-A,--agent NAME", call.agent, "use this agent's agent.json instead of config.json");
}

void key_argument(cli::Command& app, Call& call) {
    app.word("KEY", call.key, "the key; dots separate nested keys").required();
    agent_option(app, call);
}

void json_option(cli::Command& app, Call& call) {
    app.flag("--json", call.json, "print JSON");
}

void one_key_options(cli::Command& app, Call& call) {
    key_argument(app, call);
    json_option(app, call);
}

void set_options(cli::Command& app, Call& call) {
    key_argument(app, call);
    app.word("VALUE", call.value, "JSON or plain text; - for stdin, @FILE for a file")
        .required()
        .may_be_empty();
    json_option(app, call);
}

void list_options(cli::Command& app, Call& call) {
    agent_option(app, call);
    json_option(app, call);
}

void trust_options(cli::Command& app, Call& call) {
    app.word("NAME", call.agent, "the agent").required();
    app.flag("--show", call.show, "show the changes and exit");
    app.flag("--yes", call.yes, "do not ask for confirmation");
    json_option(app, call);
}

void doctor_options(cli::Command& app, Call& call) {
    app.flag("--fix", call.fix, "repair what can be repaired");
    json_option(app, call);
}

void trim_options(cli::Command& app, Call& call) {
    app.option("--older-than TIME", call.older_than,
               "remove only what is older than TIME (default: 90d)");
    app.option("-A,--agent NAME", call.agent, "only this agent and earlier ones of the same name");
    app.flag("--dry-run", call.dry_run, "only count what would be removed");
    json_option(app, call);
}

constexpr Verb verbs[] = {
    {"get", "print the value in force", config::get, one_key_options},
    {"set", "write a value", config::set, set_options},
    {"unset", "remove a value", config::unset, one_key_options},
    {"list", "print every key with its value in force and origin", config::list, list_options},
    {"env", "print the environment variables that are read", config::env, json_option},
    {"doctor", "check the home for damage and leftovers of crashes", config::doctor,
     doctor_options},
    {"trim", "remove old records that are no longer needed", config::trim, trim_options},
    {"trust", "accept changed settings of an agent.json", config::trust, trust_options},
};

std::vector<cli::Verb> verbs_with(Call& call) {
    std::vector<cli::Verb> all;
    for (const Verb& verb : verbs)
        all.push_back({verb.name, verb.sentence, [&call, &verb](cli::Command& command) {
                           verb.options(command, call);
                           return
                               [&call, &verb] { return verb.run(call, model::take_environment()); };
                       }});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    Call call;
    return cli::run_main(argc, argv,
                         {.name = config::program,
                          .description = "Show and change settings of the home and of agents.",
                          .verbs = verbs_with(call),
                          .agent_here = life::name_here,
                          .redact = place::redacted});
}
