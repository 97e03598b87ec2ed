#include "context/restore.hpp"

#include <iostream>
#include <memory>

#include "chorus-context/session.hpp"
#include "context/saved.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    std::string id;
    bool append = false;
    bool no_save = false;
    bool json = false;
};

void print_json(const store::Session& session, const context::Restoration& done) {
    const auto number = [](std::size_t count) { return static_cast<std::int64_t>(count); };
    chat::JsonText out = chat::open_object("restored");
    write_text(out, "agent", session.agent_name);
    write_session(out, "session", session);
    out.key("messages").number(number(done.messages)).key("left_out").number(number(done.left_out));
    out.key("added").number(number(done.added)).key("was_there").boolean(done.was_there);
    write_session(out, "saved", done.saved);
    std::cout << out.end_object().text() << '\n';
}

void print(const store::Session& session, const context::Restoration& done) {
    if (done.was_there) {
        std::cout << "session " << one_line(context::short_id(session.id))
                  << " is in the context already\n";
        return;
    }
    if (done.saved) std::cout << "saved the previous context: " << described(*done.saved) << '\n';
    std::cout << "restored " << described(session) << '\n';
    if (done.left_out > 0)
        notice(counted(done.left_out, "message") +
               " left out: results without a call, or messages before the user's first one");
    if (done.added > 0)
        notice(counted(done.added, "call") + " had no result; the model gets one that says so");
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const place::Surroundings surroundings = surroundings_of(opened);
    const store::Agent agent = require_agent(opened, options.named);
    const store::Session session = context::require_session(*opened.store, agent, options.id);
    context::SessionFile file = context::load_session(opened.home, session);
    const auto held = hold_agent(opened, options.named, agent, sys::Lock::Mode::exclusive);
    const auto present = turn::present_context(*opened.store, held.agent, {}, surroundings);
    const auto done = context::restore_session(*opened.store, opened.home, held.agent, session,
                                               std::move(file.messages),
                                               {.append = options.append,
                                                .save = !options.no_save,
                                                .model = present.settings.model,
                                                .after_time = present.after_time},
                                               present.redaction);
    turn::tell_people(*opened.store, opened.home, held.agent,
                      {.heading = "Restored",
                       .text = described(session),
                       .threads = done.newest,
                       .said_until = done.before},
                      present.redaction, surroundings.warn);
    if (options.json)
        print_json(session, done);
    else
        print(session, done);
    return base::ExitStatus::done;
}

}  // namespace

Action add_restore(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("ID", options->id, "id of the session, or the start of it").required();
    verb.flag("--append", options->append, "append to the current context");
    verb.flag("--no-save", options->no_save, "do not save the current context first");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
