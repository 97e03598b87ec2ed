#include "life/trust.hpp"

#include <iostream>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-config/subject.hpp"
#include "cli/terminal_question.hpp"
#include "life/child_adoption.hpp"

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

void ask(const std::string& agent, const std::string& differences, const std::string& question) {
    if (!cli::can_ask())
        throw Error(ErrorCode::bad_request, "trust " + agent + ": no terminal to ask at",
                    "--show shows what has changed, --yes trusts it");
    const auto never = [] { return false; };
    const auto answer = cli::ask_yes_no("\n" + differences + "\n" + question + "\n",
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

// A sub-agent's preset.md is trusted as a whole.
struct TrustedPreset {
    store::Store store;
    store::Agent child;
    std::string path;
    std::string text;
};

std::optional<TrustedPreset> find_preset(const Begun& begun, const std::string& name,
                                         const std::string& sub_agent) {
    store::Store store = open_store(begun);
    store::Agent child = life::require_agent(begun.home, store, name);
    if (!sub_agent.empty()) child = life::require_sub_agent(begun.home, store, child, sub_agent);
    const agent::Directory directory = begun.home.directory(child.dir);
    if (!directory.is_of_sub_agent()) return std::nullopt;
    const std::string path = directory.configuration();
    return TrustedPreset{std::move(store), child, path, agent::preset_text(path)};
}

struct Trust : Named {
    explicit Trust(cli::Command& verb) : Named(verb) {
        verb.option("--subagent ID", sub_agent, "the sub-agent of NAME: its preset.md");
        verb.flag("--show", show, "show the changes and exit");
        verb.flag("--yes", yes, "do not ask for confirmation");
    }

    void print_json(const std::string& agent,
                    const std::vector<agent::TrustChange>& changes) const {
        for (const agent::TrustChange& change : changes)
            std::cout << cli::json("trust", {{"agent", agent},
                                             {"key", change.key},
                                             {"before", cli::Json{change.before}},
                                             {"after", cli::Json{change.after}},
                                             {"trusted", !show}})
                      << '\n';
    }

    void run_for_preset(const Begun& begun, TrustedPreset& preset) const {
        if (!show) life::refuse_from_inside(preset.store, begun.environment);
        if (life::has_trusted_preset(preset.store, preset.child)) {
            if (!json) std::cout << "nothing to trust\n";
            return;
        }
        (void)agent::parse_preset(preset.text, preset.path);
        const std::string text = preset.path + "\n\n" + base::visible(preset.text);
        if (!show && !yes)
            ask(name, text, "Trust this preset.md of sub-agent " + preset.child.name + "?");
        else if (!json)
            std::cout << text;
        if (!show) {
            if (agent::preset_text(preset.path) != preset.text)
                throw Error(ErrorCode::failed, preset.path + ": changed since it was shown",
                            "run chorus-config trust again");
            life::trust_preset(preset.store, preset.child, preset.text, decider(begun));
        }
        if (json) print_json(preset.child.name, {{"preset.md", "", chat::quoted(preset.text)}});
    }

    void run(Begun& begun) const {
        if (auto preset = find_preset(begun, name, sub_agent))
            return run_for_preset(begun, *preset);
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
            ask(name, described(changes), "Trust these settings of agent " + name + "?");
        else if (!json)
            std::cout << described(changes);
        if (!show) decide(subject, person);
        if (json) print_json(name, changes);
    }

    std::string sub_agent;
    bool show = false;
    bool yes = false;
};

}  // namespace

const cli::Verb trust_verb =
    verb<Trust>("trust", "accept changed settings of an agent.json", "print JSON");

}  // namespace chorus::command
