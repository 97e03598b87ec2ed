#include "context/restore.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"
#include "context/saved.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"

namespace chorus::command {
namespace {

struct Restore : Holding {
    explicit Restore(cli::Command& verb) : Holding(verb) {
        verb.word("ID", id, "id of the session, or the start of it").required();
        verb.flag("--append", append, "append to the current context");
        verb.flag("--no-save", no_save, "do not save the current context first");
    }

    void run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        const store::Session session = context::require_session(opened.store, agent, id);
        context::SessionFile file = context::load_session(opened.home, session);
        const auto held = hold(opened, agent, sys::Lock::Mode::exclusive);
        opened.store.stop_when(interrupted());
        const auto present = turn::present_context(opened.store, held.agent, {}, surroundings);
        const auto done = context::restore_session(opened.store, opened.home, held.agent, session,
                                                   std::move(file.messages),
                                                   {.append = append,
                                                    .save = !no_save,
                                                    .model = present.settings.model,
                                                    .after_time = present.after_time},
                                                   present.redaction);
        turn::tell_people(opened.store, opened.home, held.agent,
                          {.heading = "Restored",
                           .text = described(session),
                           .threads = done.newest,
                           .said_until = done.before},
                          present.redaction, surroundings.warn);
        cli::print(json, "restored",
                   {{"agent", session.agent_name},
                    {"session", fields_of(session)},
                    {"messages", done.messages},
                    {"left_out", done.left_out},
                    {"added", done.added},
                    {"was_there", done.was_there},
                    {"saved", value_of(done.saved)}},
                   text(session, done));
        if (json || done.was_there) return;
        if (done.left_out > 0)
            notice(counted(done.left_out, "message") +
                   " left out: results without a call, or messages before the user's first one");
        if (done.added > 0)
            notice(counted(done.added, "call") + " had no result; the model gets one that says so");
    }

    static std::string text(const store::Session& session, const context::Restoration& done) {
        if (done.was_there)
            return "session " + one_line(context::short_id(session.id)) +
                   " is in the context already";
        return (done.saved ? "saved the previous context: " + described(*done.saved) + "\n" : "") +
               "restored " + described(session);
    }

    std::string id;
    bool append = false;
    bool no_save = false;
};

}  // namespace

const cli::Verb restore_verb =
    verb<Restore>("restore", "make a saved session the current context", json_object);

}  // namespace chorus::command
