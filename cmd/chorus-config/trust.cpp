#include "life/trust.hpp"

#include <iostream>

#include "base/text.hpp"
#include "chorus-config/subject.hpp"
#include "cli/terminal_question.hpp"

namespace chorus::command {
namespace {

constexpr std::int64_t ask_ms = 24LL * 60 * 60 * 1000;

std::string shown(const std::string& json) {
    return json.empty() ? "(not set)" : base::visible(json, base::Newlines::escape);
}

std::string described(const std::vector<agent::TrustChange>& changes) {
    std::string text;
    for (const agent::TrustChange& change : changes)
        text += change.key + "\n  before: " + shown(change.before) +
                "\n  after:  " + shown(change.after) + "\n";
    return text;
}

void ask(const std::string& agent, const std::string& differences) {
    if (!cli::can_ask())
        throw Error(ErrorCode::bad_request, "trust " + agent + ": no terminal to ask at",
                    "--show shows what has changed, --yes trusts it");
    const auto never = [] { return false; };
    const auto answer =
        cli::ask_yes_no("\n" + differences + "\nTrust these settings of agent " + agent + "?\n",
                        cli::Choices::yes_no, ask_ms, never);
    if (answer == cli::TerminalAnswer::no)
        throw Error(ErrorCode::denied, "trust " + agent + ": the answer was no",
                    "what was trusted before stays in force");
    if (answer != cli::TerminalAnswer::yes)
        throw Error(ErrorCode::input_required, "trust " + agent + ": no answer");
}

void decide(Subject& subject, const life::Decider& person) {
    const std::string part = agent::trust_part(subject.text);
    lock(subject);
    if (agent::trust_part(subject.text) != part)
        throw Error(ErrorCode::failed, subject.path + ": changed since it was shown",
                    "run chorus-config trust again");
    store::Transaction transaction(*subject.store);
    life::decide_trust(*subject.store, *subject.agent, part, subject.text, person);
    refresh_index(subject, subject.text);
    transaction.commit();
    deliver_audit(subject);
}

struct Trust : Named {
    explicit Trust(cli::Command& verb) : Named(verb) {
        verb.flag("--show", show, "show the changes and exit");
        verb.flag("--yes", yes, "do not ask for confirmation");
    }

    void print_json(const std::vector<agent::TrustChange>& changes) const {
        for (const agent::TrustChange& change : changes)
            std::cout << cli::json("trust", {{"agent", name},
                                             {"key", change.key},
                                             {"before", cli::Json{change.before}},
                                             {"after", cli::Json{change.after}},
                                             {"trusted", !show}})
                      << '\n';
    }

    void run(Begun& begun) const {
        Subject subject = show ? open_to_read(begun, name) : open_to_change(begun, name);
        const life::Decider person = decider(begun);
        const std::string part =
            show ? life::trusted_part(*subject.store, subject.agent->id)
                 : life::settled_trust(*subject.store, *subject.agent, subject.text, person);
        // without a record nothing has changed: settled_trust() records all of it as trusted
        const auto changes = part.empty() ? std::vector<agent::TrustChange>{}
                                          : agent::trust_changes(part, subject.text);
        if (changes.empty()) {
            if (!json) std::cout << "nothing to trust\n";
            return;
        }
        if (!show) {
            check_text(subject, subject.text);
            life::check_grant(begun.environment, agent::load_home_configuration(begun.home), part,
                              agent::trust_part(subject.text));
        }
        if (!show && !yes)
            ask(name, described(changes));
        else if (!json)
            std::cout << described(changes);
        if (!show) decide(subject, person);
        if (json) print_json(changes);
    }

    bool show = false;
    bool yes = false;
};

}  // namespace

const cli::Verb trust_verb =
    verb<Trust>("trust", "accept changed settings of an agent.json", "print JSON");

}  // namespace chorus::command
