#include "context/clear.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"
#include "life/kept_artifacts.hpp"
#include "turn/present.hpp"
#include "upkeep/cancel.hpp"

namespace chorus::command {
namespace {

struct Clear : Holding {
    explicit Clear(cli::Command& verb) : Holding(verb) {
        verb.flag("--save", save, "save the context as a session first");
        verb.flag("--no-summary", no_summary, "make the summary by rule, without a model")
            .needs("--save");
        verb.flag("--artifacts", artifacts, "archive the artifacts too");
    }

    void run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        opened.store.stop_when(interrupted());
        // asks the model before the lock is taken, so that nobody waits for it; messages that
        // arrive meanwhile are in the session, but not in the summary
        std::optional<context::SessionAbout> about;
        if (save)
            about = turn::about_session(
                opened.store, turn::present_context(opened.store, agent, {}, surroundings),
                context::SessionTrigger::context_clear, "", summaries(no_summary), surroundings);
        const auto held = hold(opened, agent, sys::Lock::Mode::exclusive);
        // a parked turn cannot go on: its messages leave the window
        (void)upkeep::give_up_parked_turns(opened.home, opened.store, held.agent.id);
        const auto present = turn::present_context(opened.store, held.agent, {}, surroundings);
        const auto cleared = context::clear_context(
            opened.store, opened.home, held.agent, present.after_time, about, present.redaction,
            artifacts ? context::Archive::artifacts : context::Archive::nothing);
        if (artifacts)
            life::keep_artifacts(opened.store, held.agent.id, opened.home.directory(held.agent.dir),
                                 surroundings.warn);
        cli::print(
            json, "cleared",
            {{"agent", agent.name},
             {"messages", cleared.messages},
             {"artifacts", cleared.artifacts},
             {"saved", value_of(cleared.saved)}},
            (cleared.saved ? described(*cleared.saved) + "\n" : "") +
                counted(cleared.messages, "message") + (cleared.messages == 1 ? " is" : " are") +
                " outside the window now" +
                (artifacts ? "\n" + counted(cleared.artifacts, "artifact") + " archived" : ""));
    }

    bool save = false;
    bool no_summary = false;
    bool artifacts = false;
};

}  // namespace

const cli::Verb clear_verb = verb<Clear>(
    "clear", "start a new context; earlier messages are kept but not sent", json_object);

}  // namespace chorus::command
