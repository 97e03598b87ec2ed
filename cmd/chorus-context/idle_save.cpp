#include <iostream>

#include "chat/dialect.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"
#include "cli/time_text.hpp"
#include "upkeep/idle.hpp"

namespace chorus::command {
namespace {

struct IdleSave : Printing {
    explicit IdleSave(cli::Command& verb) {
        verb.list("NAME", names, "the agents");
        verb.flag("--all", all, "every agent of the home");
        verb.option("--idle-timeout TIME", timeout,
                    "idle time after which an agent is saved; 0: never");
        verb.flag("--no-summary", no_summary, "make summaries by rule, without a model");
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
};

}  // namespace

const cli::Verb idle_save_verb =
    verb<IdleSave>("idle-save", "save and clear the contexts of idle agents", json_lines);

}  // namespace chorus::command
