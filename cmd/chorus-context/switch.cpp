#include "base/text.hpp"
#include "chorus-context/verbs.hpp"
#include "context/branches.hpp"
#include "context/find_thread.hpp"

namespace chorus::command {
namespace {

struct Switch : Holding {
    explicit Switch(cli::Command& verb) : Holding(verb) {
        verb.word("BRANCH", branch, "main, or a branch, by its full or short name").required();
    }

    void run(Opened& opened) const {
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const auto thread = context::find_branch(opened.store, held.agent, branch);
        if (!thread)
            throw Error(ErrorCode::not_found,
                        "agent '" + held.agent.name + "': no branch " + base::quoted(branch),
                        "chorus-context branches " + held.agent.name + " lists them");
        context::make_current(opened.store, opened.home, held.agent, *thread);
        cli::print(json, "current-branch",
                   {{"agent", held.agent.name}, {"branch", thread->branch}, {"thread", thread->id}},
                   "current: " + thread->branch + ", thread " + std::to_string(thread->id));
    }

    std::string branch;
};

}  // namespace

const cli::Verb switch_verb =
    verb<Switch>("switch", "make another branch the current one", json_object);

}  // namespace chorus::command
