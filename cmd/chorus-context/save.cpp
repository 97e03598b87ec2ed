#include <iostream>
#include <memory>

#include "chorus-context/session.hpp"
#include "context/session.hpp"
#include "place/place.hpp"
#include "turn/present.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    Named named;
    std::string description;
    std::string thread;
    bool no_summary = false;
    bool allow_empty = false;
    bool json = false;
};

std::vector<store::ThreadId> threads_of(Opened& opened, const store::Agent& agent,
                                        const Options& options) {
    if (options.thread.empty()) return {};
    return {require_thread(opened, agent, options.thread).id};
}

void print(const store::Session& session, bool json) {
    if (json)
        print_json(session);
    else
        std::cout << described(session) << '\n';
}

// Called for the summary, and again under the lock, when nobody can clear the context any more.
turn::Present present(const Options& options, Opened& opened, const store::Agent& agent,
                      const place::Surroundings& surroundings) {
    auto found = turn::present_context(*opened.store, agent, threads_of(opened, agent, options),
                                       surroundings);
    if (found.messages.empty() && !options.allow_empty)
        throw Error(ErrorCode::not_found,
                    "agent '" + agent.name + "': nothing to save, its context is empty",
                    "--allow-empty saves it anyway");
    return found;
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const place::Surroundings surroundings = surroundings_of(opened);
    const store::Agent agent = require_agent(opened, options.named);
    const auto about = turn::about_session(
        present(options, opened, agent, surroundings), context::SessionTrigger::manual_save,
        options.description,
        options.no_summary ? turn::Summaries::by_rule : turn::Summaries::by_model, surroundings);
    const auto held = hold_agent(opened, options.named, agent, sys::Lock::Mode::shared);
    const auto now = present(options, opened, held.agent, surroundings);
    print(context::save_session(*opened.store, opened.home, held.agent, now.messages, about,
                                now.redaction),
          options.json);
    return base::ExitStatus::done;
}

}  // namespace

Action add_save(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("DESCRIPTION", options->description,
              "description of the session (default: its summary)");
    verb.option("-t,--thread THREAD", options->thread,
                "only this thread: main, a number or a branch");
    verb.flag("--no-summary", options->no_summary, "make the summary by rule, without a model");
    verb.flag("--allow-empty", options->allow_empty, "save an empty context too");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
