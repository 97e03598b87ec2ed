// Contexts that are saved as sessions, restored, cleared or compacted.
#include <algorithm>
#include <iostream>
#include <set>

#include "chat/dialect.hpp"
#include "chorus-context/verbs.hpp"
#include "cli/time_text.hpp"
#include "command/verb.hpp"
#include "context/clear.hpp"
#include "context/restore.hpp"
#include "context/saved.hpp"
#include "context/session.hpp"
#include "turn/compact.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"
#include "upkeep/cancel.hpp"
#include "upkeep/idle.hpp"

namespace chorus::command {
namespace {

Fields fields_of(const store::Session& session) {
    return {{"agent", session.agent_name},
            {"id", session.id},
            {"description", session.description},
            {"summary", session.summary},
            {"trigger", session.trigger},
            {"saved_at", Time{session.saved_at}},
            {"message_count", session.message_count},
            {"window_start_at", Time{session.window_start}},
            {"window_end_at", Time{session.window_end}},
            {"file", session.file_path},
            {"sha256", session.sha256}};
}

cli::Value value_of(const std::optional<store::Session>& session) {
    return session ? fields_of(*session) : cli::Value();
}

// "session 1a2b3c: about what (7 messages)"
std::string described(const store::Session& session) {
    return "session " + one_line(context::short_id(session.id)) + ": " +
           one_line(session.description) + " (" + counted(session.message_count, "message") + ")";
}

turn::Summaries summaries(bool by_rule) {
    return by_rule ? turn::Summaries::by_rule : turn::Summaries::by_model;
}

struct Save : Holding {
    explicit Save(cli::Command& verb) : Holding(verb) {
        verb.word("DESCRIPTION", description, "description of the session (default: its summary)");
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.flag("--no-summary", no_summary, "make the summary by rule, without a model");
        verb.flag("--allow-empty", allow_empty, "save an empty context too");
        verb.flag("--json", json, "print one JSON object");
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

    ExitStatus run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        const auto about = turn::about_session(present(opened, agent, surroundings),
                                               context::SessionTrigger::manual_save, description,
                                               summaries(no_summary), surroundings);
        const auto held = hold(opened, agent, sys::Lock::Mode::shared);
        const auto now = present(opened, held.agent, surroundings);
        const auto saved = context::save_session(opened.store, opened.home, held.agent,
                                                 now.messages, about, now.redaction);
        return cli::print(json, "saved-session", fields_of(saved), described(saved));
    }

    std::string description;
    std::string thread;
    bool no_summary = false;
    bool allow_empty = false;
    bool json = false;
};

struct Clear : Holding {
    explicit Clear(cli::Command& verb) : Holding(verb) {
        verb.flag("--save", save, "save the context as a session first");
        verb.flag("--no-summary", no_summary, "make the summary by rule, without a model")
            .needs("--save");
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        // asks the model before the lock is taken, so that nobody waits for it; messages that
        // arrive meanwhile are in the session, but not in the summary
        std::optional<context::SessionAbout> about;
        if (save)
            about = turn::about_session(
                turn::present_context(opened.store, agent, {}, surroundings),
                context::SessionTrigger::context_clear, "", summaries(no_summary), surroundings);
        const auto held = hold(opened, agent, sys::Lock::Mode::exclusive);
        // a parked turn cannot go on: its messages leave the window
        (void)upkeep::give_up_parked_turns(opened.home, opened.store, held.agent.id);
        const auto present = turn::present_context(opened.store, held.agent, {}, surroundings);
        const auto cleared = context::clear_context(opened.store, opened.home, held.agent,
                                                    present.after_time, about, present.redaction);
        return cli::print(json, "cleared",
                          {{"agent", agent.name},
                           {"messages", cleared.messages},
                           {"saved", value_of(cleared.saved)}},
                          (cleared.saved ? described(*cleared.saved) + "\n" : "") +
                              counted(cleared.messages, "message") +
                              (cleared.messages == 1 ? " is" : " are") + " outside the window now");
    }

    bool save = false;
    bool no_summary = false;
    bool json = false;
};

struct Compact : Holding {
    explicit Compact(cli::Command& verb) : Holding(verb) {
        verb.option("-t,--thread THREAD", thread,
                    "thread: main, a number or a branch (default: the current one)");
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        const auto done = turn::compact(
            opened.store, agent, require_thread(opened, agent, thread), opened.surroundings(),
            [&] { return hold(opened, agent, sys::Lock::Mode::exclusive); });
        return cli::print(json, "compacted",
                          {{"agent", done.saved.agent_name},
                           {"messages", done.messages},
                           {"kept", done.kept},
                           {"saved", fields_of(done.saved)}},
                          "a summary replaces " + counted(done.messages, "message") + ", " +
                              std::to_string(done.kept) + " stay; " + described(done.saved));
    }

    std::string thread;
    bool json = false;
};

struct Restore : Holding {
    explicit Restore(cli::Command& verb) : Holding(verb) {
        verb.word("ID", id, "id of the session, or the start of it").required();
        verb.flag("--append", append, "append to the current context");
        verb.flag("--no-save", no_save, "do not save the current context first");
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const place::Surroundings surroundings = opened.surroundings();
        const store::Agent agent = require_agent(opened);
        const store::Session session = context::require_session(opened.store, agent, id);
        context::SessionFile file = context::load_session(opened.home, session);
        const auto held = hold(opened, agent, sys::Lock::Mode::exclusive);
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
        if (json || done.was_there) return ExitStatus::done;
        if (done.left_out > 0)
            notice(counted(done.left_out, "message") +
                   " left out: results without a call, or messages before the user's first one");
        if (done.added > 0)
            notice(counted(done.added, "call") + " had no result; the model gets one that says so");
        return ExitStatus::done;
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
    bool json = false;
};

struct History {
    explicit History(cli::Command& verb) {
        verb.word("NAME", name, "the agent, also a destroyed one (default: all agents)");
        verb.option("-n,--limit N", limit, "at most N (default: 50)").from(1);
        verb.flag("--all", all, "include earlier agents of the same name");
        verb.flag("--json", json, "print one JSON object per line");
    }

    std::vector<store::Agent> agents(store::Store& store) const {
        if (name.empty()) return store::list_agents(store);
        life::require_known_agent(store, name);
        if (all) return store::list_generations(store, name);
        const auto agent = store::find_agent(store, name);
        return {agent ? *agent : *store::find_destroyed_agent(store, name)};
    }

    // With --all a session is returned once: an adopted one has rows of several agents.
    std::vector<store::Session> sessions(store::Store& store) const {
        std::vector<store::Session> found;
        std::set<std::string> ids;
        for (const store::Agent& agent : agents(store))
            for (store::Session& session : store::list_sessions(store, agent.id, limit))
                if (!all || name.empty() || ids.insert(session.id).second)
                    found.push_back(std::move(session));
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.saved_at > b.saved_at; });
        found.resize(std::min(found.size(), static_cast<std::size_t>(limit)));
        return found;
    }

    std::string text(const store::Session& session) const {
        std::string minute = base::iso8601(session.saved_at).substr(0, 16);
        minute[10] = ' ';
        std::string text = "[" + one_line(context::short_id(session.id)) + "] " + minute + " - " +
                           (name.empty() ? one_line(session.agent_name) + ": " : "") +
                           one_line(session.description) + " (" +
                           counted(session.message_count, "message") + ")";
        if (session.summary != session.description && !session.summary.empty())
            text += "\n  " + one_line(session.summary);
        return session.file_path.empty() ? text + "\n  its file is gone" : text;
    }

    ExitStatus run(Opened& opened) const {
        for (const store::Session& session : sessions(opened.store))
            cli::print(json, "saved-session", fields_of(session), text(session));
        return ExitStatus::done;
    }

    std::string name;
    std::int64_t limit = 50;
    bool all = false;
    bool json = false;
};

struct IdleSave {
    explicit IdleSave(cli::Command& verb) {
        verb.list("NAME", names, "the agents");
        verb.flag("--all", all, "every agent of the home");
        verb.option("--idle-timeout TIME", timeout,
                    "idle time after which an agent is saved; 0: never");
        verb.flag("--no-summary", no_summary, "make summaries by rule, without a model");
        verb.flag("--json", json, "print one JSON object per line");
    }

    void print_saved(const upkeep::IdleSaved& one) const {
        cli::print(json, "idle-save",
                   {{"agent", one.session.agent_name},
                    {"idle_ms", one.idle_ms},
                    {"session", fields_of(one.session)},
                    {"notice", one.notice},
                    {"error", {}}},
                   one_line(one.notice));
        std::cout.flush();
    }

    void print_failed(const std::string& agent, const Error& error) const {
        cli::print_error(
            "chorus-context",
            Error(error.code(), "idle-save " + agent + ": " + error.message(), error.hint()));
        if (!json) return;
        const cli::Member written([&error](chat::JsonText& out) {
            chat::write_error(out, {base::name(error.code()), "", error.message(), error.hint()});
        });
        std::cout << cli::json("idle-save", {{"agent", agent},
                                             {"idle_ms", {}},
                                             {"session", {}},
                                             {"notice", {}},
                                             {"error", written}})
                  << std::endl;
    }

    ExitStatus run(Opened& opened) const {
        if (names.empty() == !all)
            throw Error(ErrorCode::bad_request, "idle-save: name the agents, or use --all");
        upkeep::IdleOptions wanted{
            .names = names, .timeout_ms = {}, .summaries = summaries(no_summary)};
        if (!timeout.empty())
            wanted.timeout_ms = cli::require_duration_ms(timeout, "--idle-timeout");
        const std::size_t failures =
            upkeep::save_idle(opened.store, wanted, opened.surroundings(),
                              {.saved = [&](const upkeep::IdleSaved& one) { print_saved(one); },
                               .failed = [&](const std::string& agent,
                                             const Error& error) { print_failed(agent, error); }});
        return failures == 0 ? ExitStatus::done : ExitStatus::failed;
    }

    std::vector<std::string> names;
    bool all = false;
    std::string timeout;
    bool no_summary = false;
    bool json = false;
};

}  // namespace

std::vector<cli::Verb> session_verbs() {
    return {
        verb<Clear>("clear", "start a new context; earlier messages are kept but not sent"),
        verb<Compact>("compact", "replace the older half of the window with a summary"),
        verb<History>("history", "list saved sessions, newest first"),
        verb<IdleSave>("idle-save", "save and clear the contexts of idle agents"),
        verb<Restore>("restore", "make a saved session the current context"),
        verb<Save>("save", "save the context as a session"),
    };
}

}  // namespace chorus::command
