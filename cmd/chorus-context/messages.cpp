#include <climits>
#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    std::string agent;
    std::string thread;
    Span span;
    std::int64_t after = 0;
    std::int64_t newest = 0;
    bool all = false;
    bool json = false;
};

base::ExitStatus run(const Options& options, Opened& opened) {
    store::Store& store = *opened.store;
    store::MessageFilter filter;
    filter.since = since_of(options.span);
    filter.until = until_of(options.span);
    const store::Agent agent = life::require_known(store, options.agent);
    filter.agent = agent.id;
    if (!options.thread.empty()) filter.thread = require_thread(opened, agent, options.thread).id;
    filter.said = options.all ? store::Said::everything : store::Said::by_people_and_agent;
    filter.after = options.after;
    filter.newest = options.newest;
    const MessageLines lines;
    store::for_each_message(store, filter, [&](const store::StoredMessage& said) {
        if (!options.json) {
            lines.print(said);
        } else {
            chat::JsonText out = chat::open_object("message");
            write_text(out, "agent", agent.name);
            write_members(out, said);
            std::cout << out.end_object().text() << '\n';
        }
        return std::cout.good();
    });
    return base::ExitStatus::done;
}

}  // namespace

Action add_messages(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent, also a destroyed one").required();
    verb.flag("--all", options->all, "include calls, results and what --retry dropped");
    add_span(verb, options->span);
    verb.option("--id-gt MESSAGE", options->after, "only messages with a greater id").from(0);
    verb.option("-t,--thread THREAD", options->thread,
                "only this thread: main, a number or a branch");
    verb.option("-n,--limit N", options->newest, "only the last N").from(1);
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
