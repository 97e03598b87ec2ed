#include <CLI/CLI.hpp>

#include "chorus-config/call.hpp"
#include "cli/main.hpp"
#include "model/choice.hpp"
#include "turn/secrets.hpp"

namespace {

using namespace chorus;
using base::ExitStatus;
using config::Call;

struct Verb {
    const char* name;
    const char* sentence;
    ExitStatus (*run)(const Call&, const sys::Environment&);
    void (*options)(CLI::App&, Call&);
};

void agent_option(CLI::App& app, Call& call) {
    app.add_option("-a,--agent", call.agent, "of that agent's agent.json, not of config.json")
        ->type_name("NAME");
}

void key_argument(CLI::App& app, Call& call) {
    app.add_option("KEY", call.key, "a key, with dots into objects")->required();
    agent_option(app, call);
}

void json_option(CLI::App& app, Call& call) {
    app.add_flag("--json", call.json, "print JSON");
}

void get_options(CLI::App& app, Call& call) {
    key_argument(app, call);
    json_option(app, call);
}

void set_options(CLI::App& app, Call& call) {
    key_argument(app, call);
    app.add_option("VALUE", call.value, "JSON or plain text; - for stdin, @FILE for a file")
        ->required();
}

void list_options(CLI::App& app, Call& call) {
    agent_option(app, call);
    json_option(app, call);
}

void trust_options(CLI::App& app, Call& call) {
    app.add_option("NAME", call.agent, "the agent")->required();
    app.add_flag("--show", call.show, "only show what has changed");
    app.add_flag("--yes", call.yes, "do not ask");
}

void doctor_options(CLI::App& app, Call& call) {
    app.add_flag("--fix", call.fix, "and mend it");
    json_option(app, call);
}

void trim_options(CLI::App& app, Call& call) {
    app.add_option("--older-than", call.older_than, "what is older than that; 90d unless given")
        ->type_name("TIME");
    app.add_option("-a,--agent", call.agent, "of that agent and its earlier namesakes")
        ->type_name("NAME");
    app.add_flag("--dry-run", call.dry_run, "only count what would be removed");
    json_option(app, call);
}

constexpr Verb verbs[] = {
    {"get", "print the value in force", config::get, get_options},
    {"set", "write a value", config::set, set_options},
    {"unset", "remove a value", config::unset, key_argument},
    {"list", "print every key, the value in force and where it comes from", config::list,
     list_options},
    {"env", "print the environment variables that are read", config::env, json_option},
    {"doctor", "look for what crashes have left", config::doctor, doctor_options},
    {"trim", "remove what nothing needs any more from the record", config::trim, trim_options},
    {"trust", "take over what has changed in an agent.json", config::trust, trust_options},
};

std::function<ExitStatus()> add_verbs(CLI::App& app, Call& call) {
    app.require_subcommand(1);
    for (const Verb& verb : verbs)
        verb.options(*app.add_subcommand(verb.name, verb.sentence), call);
    return [&app, &call] {
        const std::string chosen = app.get_subcommands().front()->get_name();
        for (const Verb& verb : verbs)
            if (chosen == verb.name) return verb.run(call, model::take_environment());
        return ExitStatus::bad_request;
    };
}

}  // namespace

int main(int argc, char** argv) {
    Call call;
    return cli::run_main(argc, argv,
                         {.name = config::program,
                          .description = "Settings of the home and of agents.",
                          .options = [&call](CLI::App& app) { return add_verbs(app, call); },
                          .on_error = {},
                          .may_be_empty = {"VALUE"},
                          .redact = turn::redacted});
}
