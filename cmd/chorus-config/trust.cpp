#include "life/trust.hpp"

#include <iostream>

#include "base/text.hpp"
#include "chat/dialect.hpp"
#include "chorus-config/subject.hpp"
#include "cli/terminal_question.hpp"

namespace chorus::config {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;

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

void print_json(const std::string& agent, const std::vector<agent::TrustChange>& changes,
                bool is_trusted) {
    for (const agent::TrustChange& change : changes) {
        chat::JsonText out = chat::open_object("trust");
        write_text(out, "agent", agent);
        write_text(out, "key", change.key);
        write_json(out, "before", change.before);
        write_json(out, "after", change.after);
        std::cout << out.key("trusted").boolean(is_trusted).end_object().text() << '\n';
    }
}

void ask(const std::string& agent, const std::string& differences) {
    if (!cli::can_ask())
        throw Error(ErrorCode::bad_request, "trust " + agent + ": no terminal to ask at",
                    "--show shows what has changed, --yes trusts it");
    const auto never = [] { return false; };
    switch (cli::ask_yes_no("\n" + differences + "\nTrust these settings of agent " + agent + "?\n",
                            cli::Choices::yes_no, ask_ms, never)) {
        case cli::TerminalAnswer::yes:
            return;
        case cli::TerminalAnswer::no:
            throw Error(ErrorCode::denied, "trust " + agent + ": the answer was no",
                        "what was trusted before stays in force");
        case cli::TerminalAnswer::always:
        case cli::TerminalAnswer::even_if_changed:
        case cli::TerminalAnswer::nobody:
            throw Error(ErrorCode::input_required, "trust " + agent + ": no answer");
    }
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

}  // namespace

ExitStatus trust(const Call& call, const sys::Environment& environment) {
    Subject subject =
        call.show ? open_to_read(call, environment) : open_to_change(call, environment);
    const life::Decider person = decider(subject, environment);
    const std::string part =
        call.show ? life::trusted_part(*subject.store, subject.agent->id)
                  : life::settled_trust(*subject.store, *subject.agent, subject.text, person);
    // without a record nothing has changed: settled_trust() records all of it as trusted
    const auto changes =
        part.empty() ? std::vector<agent::TrustChange>{} : agent::trust_changes(part, subject.text);
    if (changes.empty()) {
        if (!call.json) std::cout << "nothing to trust\n";
        return ExitStatus::done;
    }
    if (!call.show) check_text(subject, subject.text);
    if (!call.show) check_grant(subject, part, agent::trust_part(subject.text), environment);
    if (!call.show && !call.yes)
        ask(subject.agent->name, described(changes));
    else if (!call.json)
        std::cout << described(changes);
    if (!call.show) decide(subject, person);
    if (call.json) print_json(subject.agent->name, changes, !call.show);
    return ExitStatus::done;
}

}  // namespace chorus::config
