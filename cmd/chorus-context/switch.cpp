#include <iostream>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "context/branches.hpp"
#include "context/find_thread.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    Named named;
    std::string branch;
    bool json = false;
};

store::Thread require_branch(Opened& opened, const store::Agent& agent, const std::string& name) {
    if (auto found = context::find_branch(*opened.store, agent, name)) return std::move(*found);
    throw Error(ErrorCode::not_found,
                "agent '" + agent.name + "': no branch '" +
                    base::visible(name, base::Newlines::escape) + "'",
                "chorus-context branches " + agent.name + " lists them");
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const store::Thread thread = require_branch(opened, held.agent, options.branch);
    context::make_current(*opened.store, opened.home, held.agent, thread);
    if (!options.json) {
        std::cout << "current: " << thread.branch << ", thread " << thread.id << '\n';
        return base::ExitStatus::done;
    }
    chat::JsonText out = chat::open_object("current-branch");
    write_text(out, "agent", held.agent.name);
    write_text(out, "branch", thread.branch);
    std::cout << out.key("thread").number(thread.id).end_object().text() << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_switch(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("BRANCH", options->branch, "main, or a branch, by its full or short name").required();
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
