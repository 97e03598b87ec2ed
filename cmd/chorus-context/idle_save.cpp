#include <iostream>
#include <memory>

#include "chorus-context/session.hpp"
#include "cli/main.hpp"
#include "cli/time_text.hpp"
#include "upkeep/idle.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    std::vector<std::string> names;
    bool all = false;
    std::string idle_timeout;
    bool no_summary = false;
    bool json = false;
};

void print_saved(const upkeep::IdleSaved& one, bool json) {
    if (!json) {
        std::cout << one_line(one.notice) << std::endl;
        return;
    }
    chat::JsonText out = chat::open_object("idle-save");
    write_text(out, "agent", one.session.agent_name);
    out.key("idle_ms").number(one.idle_ms);
    write_session(out, "session", one.session);
    write_text(out, "notice", one.notice);
    out.key("error").null();
    std::cout << out.end_object().text() << std::endl;
}

void print_failed(const std::string& agent, const Error& error, bool json) {
    cli::print_error(
        program, Error(error.code(), "idle-save " + agent + ": " + error.message(), error.hint()));
    if (!json) return;
    chat::JsonText out = chat::open_object("idle-save");
    write_text(out, "agent", agent);
    out.key("idle_ms").null().key("session").null().key("notice").null();
    chat::write_error(out, {base::name(error.code()), "", error.message(), error.hint()});
    std::cout << out.end_object().text() << std::endl;
}

base::ExitStatus run(const Options& options, Opened& opened) {
    if (options.names.empty() == !options.all)
        throw Error(ErrorCode::bad_request, "idle-save: name the agents, or use --all");
    upkeep::IdleOptions wanted{
        .names = options.names,
        .timeout_ms = {},
        .summaries = options.no_summary ? turn::Summaries::by_rule : turn::Summaries::by_model};
    if (!options.idle_timeout.empty())
        wanted.timeout_ms = cli::require_duration_ms(options.idle_timeout, "--idle-timeout");
    const std::size_t failures = upkeep::save_idle(
        *opened.store, wanted, surroundings_of(opened),
        {.saved = [&](const upkeep::IdleSaved& one) { print_saved(one, options.json); },
         .failed = [&](const std::string& agent,
                       const Error& error) { print_failed(agent, error, options.json); }});
    return failures == 0 ? base::ExitStatus::done : base::ExitStatus::failed;
}

}  // namespace

Action add_idle_save(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.list("NAME", options->names, "the agents");
    verb.flag("--all", options->all, "every agent of the home");
    verb.option("--idle-timeout TIME", options->idle_timeout,
                "idle time after which an agent is saved; 0: never");
    verb.flag("--no-summary", options->no_summary, "make summaries by rule, without a model");
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
