#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"
#include "context/session.hpp"
#include "turn/present.hpp"

namespace chorus::command {
namespace {

struct Save : Holding {
    explicit Save(cli::Command& verb) : Holding(verb) {
        verb.word("DESCRIPTION", description, "description of the session (default: its summary)");
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.flag("--no-summary", no_summary, "make the summary by rule, without a model");
        verb.flag("--allow-empty", allow_empty, "save an empty context too");
    }

    // Called for the summary, and again under the lock, when nobody can clear the context any more.
    turn::Present present(Opened& opened, const store::Agent& agent,
                          const place::Surroundings& surroundings) const {
        std::vector<store::ThreadId> threads;
        if (!thread.empty()) threads.push_back(require_thread(opened, agent, thread).id);
        auto found = turn::present_context(opened.store, agent, threads, surroundings);
        if (found.messages.empty() && !allow_empty)
            throw Error(ErrorCode::not_found,
                        "agent '" + agent.name + "': nothing to save, its context is empty",
                        "--allow-empty saves it anyway");
        return found;
    }

    void run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        opened.store.stop_when(interrupted());
        const auto about = turn::about_session(opened.store, present(opened, agent, surroundings),
                                               context::SessionTrigger::manual_save, description,
                                               summaries(no_summary), surroundings);
        const auto held = hold(opened, agent, sys::Lock::Mode::shared);
        const auto now = present(opened, held.agent, surroundings);
        const auto saved = context::save_session(opened.store, opened.home, held.agent,
                                                 now.messages, about, now.redaction);
        cli::print(json, "saved-session", fields_of(saved), described(saved));
    }

    std::string description;
    std::string thread;
    bool no_summary = false;
    bool allow_empty = false;
};

}  // namespace

const cli::Verb save_verb = verb<Save>("save", "save the context as a session", json_object);

}  // namespace chorus::command
