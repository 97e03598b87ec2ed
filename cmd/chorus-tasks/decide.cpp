#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chat/event.hpp"
#include "chorus-tasks/view.hpp"
#include "place/in_force.hpp"

namespace chorus::command {
namespace {

struct Decide : Printing {
    explicit Decide(cli::Command& verb, place::PromptDecision::Verb what) {
        decision.verb = what;
        verb.word("ID", decision.id, "the pending question").required();
        verb.flag("--run", goes_on, "continue the turn in the background");
        verb.flag("--json", json, "print one JSON object per line");
        verb.option("--actor NAME", actor, "name of the person who decides, for the audit log");
    }

    void refuse_all() const {
        using What = place::PromptDecision::Verb;
        if (decision.id != "all") return;
        throw Error(ErrorCode::bad_request, "all: name one question by its id",
                    decision.verb == What::answer
                        ? "chorus-tasks pending lists the ids"
                        : std::string("chorus-run NAME --") +
                              (decision.verb == What::deny ? "deny" : "approve") +
                              " all decides all questions of a thread");
    }

    // The turn that in the end waits for it, which is another agent's where a sub-agent asked.
    static void begin_top_turn(Opened& opened, const store::Prompt& prompt) {
        const auto turn =
            store::find_turn(opened.store, store::top_turn(opened.store, prompt.turn_id));
        const auto agent = turn ? store::find_agent(opened.store, turn->agent_id) : std::nullopt;
        if (agent)
            task::begin_turn(agent->name, turn->thread_id, task::Begin::resume, opened.environment);
    }

    void run(Opened& opened) {
        refuse_all();
        if (!words.empty()) decision.text = base::join(words, " ");
        const approval::DecisionContext decider{
            .home = opened.home,
            .environment = opened.environment,
            .actor = place::actor_text(actor, opened.environment),
            .warn = notice};
        for (const auto& prompt : approval::decide(opened.store, decider, {}, decision)) {
            const std::string agent = agent_of(opened, prompt);
            const store::ThreadId thread = thread_of(opened, prompt);
            const bool continues = goes_on && prompt.turn_id != 0;
            if (json)
                cli::print(true, "decision",
                           {{"agent", agent},
                            {"thread", cli::number(thread, 0)},
                            {"turn_id", cli::number(prompt.turn_id, 0)},
                            {"id", prompt.id},
                            {"kind", chat::prompt_kinds.name(prompt.kind)},
                            {"action", prompt.action},
                            {"decision", name(prompt.state)},
                            {"goes_on", continues}},
                           "");
            else
                notice(std::string(name(prompt.state)) + " " + prompt.id + ": " +
                       approval::in_one_line(prompt));
            if (continues) begin_top_turn(opened, prompt);
        }
    }

    place::PromptDecision decision;
    std::vector<std::string> words;
    std::string actor;
    bool goes_on = false;
};

struct Approve : Decide {
    explicit Approve(cli::Command& verb) : Decide(verb, place::PromptDecision::Verb::approve) {
        verb.flag("--always", decision.always, "allow exactly this action from now on");
        verb.flag("--even-if-changed", decision.even_if_changed,
                  "approve also if files change before the call runs");
    }
};

struct Deny : Decide {
    explicit Deny(cli::Command& verb) : Decide(verb, place::PromptDecision::Verb::deny) {
        verb.option("--reason TEXT", decision.text, "the reason given to the model");
    }
};

struct Answer : Decide {
    explicit Answer(cli::Command& verb) : Decide(verb, place::PromptDecision::Verb::answer) {
        verb.words("TEXT", words, "the answer").required();
    }
};

}  // namespace

const cli::Verb answer_verb = verb<Answer>("answer", "answer a question");

const cli::Verb approve_verb = verb<Approve>("approve", "approve a call");

const cli::Verb deny_verb = verb<Deny>("deny", "deny a call, or refuse to answer a question");

}  // namespace chorus::command
