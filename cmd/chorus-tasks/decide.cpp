#include <iostream>
#include <memory>

#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chorus-tasks/view.hpp"
#include "place/in_force.hpp"
#include "turn/questions.hpp"

namespace chorus::tasks_command {
namespace {

using base::Error;
using base::ErrorCode;
using What = place::PromptDecision::Verb;

struct Options {
    std::string id;
    std::vector<std::string> words;
    std::string reason;
    std::string actor;
    bool always = false;
    bool even_if_changed = false;
    bool goes_on = false;
    bool json = false;
};

void print_json(Opened& opened, const store::Prompt& prompt, bool goes_on) {
    chat::JsonText out = chat::open_object("decision");
    write_text(out, "agent", agent_of(opened, prompt));
    write_number(out, "thread", thread_of(opened, prompt), 0);
    write_number(out, "turn_id", prompt.turn_id, 0);
    write_text(out, "id", prompt.id);
    write_text(out, "kind", chat::prompt_kinds.name(prompt.kind));
    write_text(out, "action", prompt.action);
    write_text(out, "decision", name(prompt.state));
    out.key("goes_on").boolean(goes_on);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus decide(const Options& options, What what, Opened& opened) {
    place::PromptDecision decision;
    decision.verb = what;
    decision.id = options.id;
    decision.text = what == What::answer ? base::join(options.words, " ") : options.reason;
    decision.always = options.always;
    decision.even_if_changed = options.even_if_changed;
    if (decision.id == "all")
        throw Error(ErrorCode::bad_request, "all: name one question by its id",
                    what == What::answer ? "chorus-tasks pending lists the ids"
                                         : std::string("chorus-run NAME --") +
                                               (what == What::deny ? "deny" : "approve") +
                                               " all decides all questions of a thread");
    const approval::DecisionContext decider{
        .home = opened.home,
        .environment = opened.environment,
        .actor = place::actor_text(options.actor, opened.environment),
        .warn = notice};
    const auto decided = approval::decide(opened.store, decider, {}, decision);
    for (const store::Prompt& prompt : decided) {
        const bool goes_on = options.goes_on && prompt.turn_id != 0;
        if (options.json)
            print_json(opened, prompt, goes_on);
        else
            notice(std::string(name(prompt.state)) + " " + prompt.id + ": " +
                   approval::in_one_line(prompt));
        if (goes_on)
            task::begin_turn(agent_of(opened, prompt), thread_of(opened, prompt),
                             task::Begin::resume, opened.environment);
    }
    return base::ExitStatus::done;
}

std::shared_ptr<Options> add_common(cli::Command& verb) {
    auto options = std::make_shared<Options>();
    verb.word("ID", options->id, "the pending question").required();
    verb.flag("--run", options->goes_on, "continue the turn in the background");
    verb.flag("--json", options->json, "print one JSON object per line");
    verb.option("--actor NAME", options->actor,
                "name of the person who decides, for the audit log");
    return options;
}

}  // namespace

Action add_approve(cli::Command& verb) {
    const auto options = add_common(verb);
    verb.flag("--always", options->always, "allow exactly this action from now on");
    verb.flag("--even-if-changed", options->even_if_changed,
              "approve also if files change before the call runs");
    return [options](Opened& opened) { return decide(*options, What::approve, opened); };
}

Action add_deny(cli::Command& verb) {
    const auto options = add_common(verb);
    verb.option("--reason TEXT", options->reason, "the reason given to the model");
    return [options](Opened& opened) { return decide(*options, What::deny, opened); };
}

Action add_answer(cli::Command& verb) {
    const auto options = add_common(verb);
    verb.words("TEXT", options->words, "the answer").required();
    return [options](Opened& opened) { return decide(*options, What::answer, opened); };
}

}  // namespace chorus::tasks_command
