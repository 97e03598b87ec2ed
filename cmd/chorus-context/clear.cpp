#include "context/clear.hpp"

#include <iostream>
#include <memory>

#include "chorus-context/session.hpp"
#include "turn/present.hpp"
#include "upkeep/cancel.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    bool save = false;
    bool no_summary = false;
    bool json = false;
};

void print_json(const store::Agent& agent, const context::Cleared& cleared) {
    chat::JsonText out = chat::open_object("cleared");
    write_text(out, "agent", agent.name);
    out.key("messages").number(static_cast<std::int64_t>(cleared.messages));
    write_session(out, "saved", cleared.saved);
    std::cout << out.end_object().text() << '\n';
}

// Asks the model before the lock is taken, so that nobody waits for it. Messages that arrive
// meanwhile are in the session, but not in the summary.
std::optional<context::SessionAbout> about(const Options& options, const store::Agent& agent,
                                           Opened& opened,
                                           const place::Surroundings& surroundings) {
    if (!options.save) return std::nullopt;
    return turn::about_session(
        turn::present_context(*opened.store, agent, {}, surroundings),
        context::SessionTrigger::context_clear, "",
        options.no_summary ? turn::Summaries::by_rule : turn::Summaries::by_model, surroundings);
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const place::Surroundings surroundings = surroundings_of(opened);
    const store::Agent agent = require_agent(opened, options.named);
    const auto save = about(options, agent, opened, surroundings);
    const auto held = hold_agent(opened, options.named, agent, sys::Lock::Mode::exclusive);
    // a parked turn cannot go on: its messages leave the window
    (void)upkeep::give_up_parked_turns(opened.home, *opened.store, held.agent.id);
    const auto present = turn::present_context(*opened.store, held.agent, {}, surroundings);
    const auto cleared = context::clear_context(*opened.store, opened.home, held.agent,
                                                present.after_time, save, present.redaction);
    if (options.json) {
        print_json(agent, cleared);
        return base::ExitStatus::done;
    }
    if (cleared.saved) std::cout << described(*cleared.saved) << '\n';
    std::cout << counted(cleared.messages, "message") << (cleared.messages == 1 ? " is" : " are")
              << " outside the window now\n";
    return base::ExitStatus::done;
}

}  // namespace

Action add_clear(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.flag("--save", options->save, "save the context as a session first");
    verb.flag("--no-summary", options->no_summary, "make the summary by rule, without a model")
        .needs("--save");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
