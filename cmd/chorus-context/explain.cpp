#include <iostream>

#include "agent/configuration.hpp"
#include "chorus-context/verbs.hpp"
#include "turn/explain.hpp"

namespace chorus::command {
namespace {

struct Explain : Named {
    explicit Explain(cli::Command& verb) : Named(verb) {
        verb.word("ACTION", asked.action, "the action, such as 'tool:bash:git push'").required();
        verb.option("--profile PROFILE|@FILE", profile,
                    "another permission profile, by name or from FILE");
    }

    static std::string text_of(const policy::Decision& decision) {
        return std::string(policy::name(decision.verdict)) + "  " + one_line(decision.reason);
    }

    static void print_text(const turn::Explanation& why) {
        std::cout << text_of(why.decision) << "\n  profile: " << one_line(why.profile) << '\n';
        if (!why.is_shell) return;
        std::cout << "  sandbox: " << why.sandbox;
        if (!why.sandbox_problem.empty())
            std::cout << ", commands cannot run: " << one_line(why.sandbox_problem);
        std::cout << '\n';
        if (!why.reading.not_simple.empty())
            std::cout << "  not simple: " << one_line(why.reading.not_simple) << '\n';
        for (const auto& command : why.reading.commands)
            std::cout << "  command: " << one_line(command.text) << "\n    "
                      << text_of(command.decision) << '\n';
    }

    Fields fields_of(const turn::Explanation& why) const {
        const auto command_fields = [](const auto& command) -> Fields {
            return {{"command", command.text},
                    {"decision", policy::name(command.decision.verdict)},
                    {"reason", command.decision.reason}};
        };
        return {{"agent", name},
                {"action", asked.action},
                {"profile", why.profile},
                {"decision", policy::name(why.decision.verdict)},
                {"reason", why.decision.reason},
                {"sandbox", why.is_shell ? why.sandbox : ""},
                {"sandbox_problem", why.sandbox_problem},
                {"not_simple", why.reading.not_simple},
                {"commands", cli::each(why.reading.commands, command_fields)}};
    }

    void run(Begun& begun) {
        asked.agent = name;
        if (!profile.empty()) asked.permissions = agent::named_permissions(profile, "--profile");
        const turn::Explanation why = turn::explain(asked, begun.surroundings());
        if (json)
            std::cout << cli::json("explanation", fields_of(why)) << '\n';
        else
            print_text(why);
    }

    turn::ExplainOptions asked;
    std::string profile;
};

}  // namespace

const cli::Verb explain_verb =
    verb<Explain>("explain", "show how an action would be decided, and why", json_object);

}  // namespace chorus::command
