#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "store/history.hpp"

namespace chorus::command {
namespace {

struct Messages : Named {
    explicit Messages(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {
        verb.flag("--all", all, "include calls, results and what --retry dropped");
        span.add(verb);
        verb.option("--id-gt MESSAGE", filter.after, "only messages with a greater id").from(0);
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("-n,--limit N", filter.newest, "only the last N").from(1);
    }

    void run(Opened& opened) {
        span.limit(filter);
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        filter.agent = agent.id;
        if (!thread.empty()) filter.thread = require_thread(opened, agent, thread).id;
        filter.said = all ? store::Said::everything : store::Said::by_people_and_agent;
        const Form form = cli::form_of_stdout(json);
        store::for_each_message(opened.store, filter, [&](const store::StoredMessage& said) {
            if (form == Form::json) {
                Fields fields = fields_of(said);
                fields.insert(fields.begin(), {"agent", agent.name});
                std::cout << cli::json("message", fields) << '\n';
            } else {
                print(said, form);
            }
            return std::cout.good();
        });
    }

    store::MessageFilter filter;
    std::string thread;
    Span span;
    bool all = false;
};

}  // namespace

const cli::Verb messages_verb =
    verb<Messages>("messages", "print all messages, also those outside the window", json_lines);

}  // namespace chorus::command
