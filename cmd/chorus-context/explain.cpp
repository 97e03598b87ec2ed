#include "turn/explain.hpp"

#include <iostream>

#include "agent/configuration.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

using turn::Explanation;

struct Options {
    turn::ExplainOptions explain;
    std::string profile;
    bool json = false;
};

void print_text(const Explanation& why) {
    const auto decision = [](const policy::Decision& made) {
        return std::string(policy::name(made.verdict)) + "  " + one_line(made.reason);
    };
    std::cout << decision(why.decision) << "\n  profile: " << one_line(why.profile) << '\n';
    if (!why.is_shell) return;
    std::cout << "  sandbox: " << why.sandbox;
    if (!why.sandbox_problem.empty())
        std::cout << ", commands cannot run: " << one_line(why.sandbox_problem);
    std::cout << '\n';
    if (!why.reading.not_simple.empty())
        std::cout << "  not simple: " << one_line(why.reading.not_simple) << '\n';
    for (const auto& command : why.reading.commands)
        std::cout << "  command: " << one_line(command.text) << "\n    "
                  << decision(command.decision) << '\n';
}

void write_decision(chat::JsonText& out, const policy::Decision& made) {
    write_text(out, "decision", policy::name(made.verdict));
    write_text(out, "reason", made.reason);
}

void print_json(const Explanation& why, const turn::ExplainOptions& asked) {
    chat::JsonText out = chat::open_object("explanation");
    write_text(out, "agent", asked.agent);
    write_text(out, "action", asked.action);
    write_text(out, "profile", why.profile);
    write_decision(out, why.decision);
    write_text(out, "sandbox", why.is_shell ? why.sandbox : "");
    write_text(out, "sandbox_problem", why.sandbox_problem);
    write_text(out, "not_simple", why.reading.not_simple);
    out.key("commands").begin_array();
    for (const auto& command : why.reading.commands) {
        write_text(out.begin_object(), "command", command.text);
        write_decision(out, command.decision);
        out.end_object();
    }
    std::cout << out.end_array().end_object().text() << '\n';
}

base::ExitStatus run(Options& options, Opened& opened) {
    if (!options.profile.empty())
        options.explain.permissions = agent::named_permissions(options.profile, "--profile");
    const place::Surroundings surroundings = surroundings_of(opened);
    const Explanation why = turn::explain(options.explain, surroundings);
    if (options.json)
        print_json(why, options.explain);
    else
        print_text(why);
    return base::ExitStatus::done;
}

}  // namespace

Action add_explain(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->explain.agent, "the agent").required();
    verb.word("ACTION", options->explain.action, "the action, such as 'tool:bash:git push'")
        .required();
    verb.option("--profile PROFILE|@FILE", options->profile,
                "another permission profile, by name or from FILE");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
