#include "turn/compact.hpp"

#include <iostream>
#include <memory>

#include "chorus-context/session.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    std::string thread;
    bool json = false;
};

void print_json(const turn::Compacted& compacted) {
    chat::JsonText out = chat::open_object("compacted");
    write_text(out, "agent", compacted.saved.agent_name);
    out.key("messages").number(static_cast<std::int64_t>(compacted.messages));
    out.key("kept").number(static_cast<std::int64_t>(compacted.kept));
    write_session(out, "saved", compacted.saved);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const store::Agent agent = require_agent(opened, options.named);
    const auto compacted = turn::compact(
        *opened.store, agent, require_thread(opened, agent, options.thread),
        surroundings_of(opened),
        [&] { return hold_agent(opened, options.named, agent, sys::Lock::Mode::exclusive); });
    if (options.json)
        print_json(compacted);
    else
        std::cout << "a summary replaces " << counted(compacted.messages, "message") << ", "
                  << compacted.kept << " stay; " << described(compacted.saved) << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_compact(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.option("-t,--thread THREAD", options->thread,
                "thread: main, a number or a branch (default: the current one)");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
