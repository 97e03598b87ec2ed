#include "turn/compact.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"

namespace chorus::command {
namespace {

struct Compact : Holding {
    explicit Compact(cli::Command& verb) : Holding(verb) {
        verb.option("-t,--thread THREAD", thread,
                    "thread: main, a number or a branch (default: the current one)");
    }

    void run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        const auto done = turn::compact(
            opened.store, agent, require_thread(opened, agent, thread), opened.surroundings(),
            [&] { return hold(opened, agent, sys::Lock::Mode::exclusive); });
        cli::print(json, "compacted",
                   {{"agent", done.saved.agent_name},
                    {"messages", done.messages},
                    {"kept", done.kept},
                    {"saved", fields_of(done.saved)}},
                   "a summary replaces " + counted(done.messages, "message") + ", " +
                       std::to_string(done.kept) + " stay; " + described(done.saved));
    }

    std::string thread;
};

}  // namespace

const cli::Verb compact_verb =
    verb<Compact>("compact", "replace the older half of the window with a summary", json_object);

}  // namespace chorus::command
