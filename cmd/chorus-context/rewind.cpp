#include "turn/rewind.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/shell_quoted.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    turn::RewindOptions rewind;
    std::string message;
    bool json = false;
};

// How each part is undone stands with it.
void print_text(const Options& options, const std::string& workspace,
                const turn::Rewound& rewound) {
    const std::string thread = " -t " + std::to_string(rewound.thread);
    std::cout << "thread " << rewound.thread << ": back to before message " << options.rewind.to
              << "; " << rewound.messages
              << (rewound.messages == 1 ? " message has" : " messages have")
              << " left the window, up to " << rewound.last << "\n  undo: chorus-context branch "
              << options.named.name << " BRANCH --at " << rewound.last << thread << '\n';
    if (rewound.given_up != 0)
        notice("turn " + std::to_string(rewound.given_up) +
               ", which had not come to its end, is given up");
    if (!options.rewind.workspace) return;
    std::cout << "workspace: at commit " << rewound.commit;
    if (rewound.aside.commit.empty())
        std::cout << ", as it was\n";
    else
        std::cout << "; what was there is commit " << rewound.aside.commit << ", branch "
                  << rewound.aside.branch << "\n  undo: git -C "
                  << base::shell_quoted(one_line(workspace)) << " reset --hard "
                  << rewound.aside.branch << '\n';
}

void print_json(const Options& options, const turn::Rewound& rewound) {
    chat::JsonText out;
    out.begin_object().key("thread").number(rewound.thread);
    out.key("to").number(options.rewind.to).key("last").number(rewound.last);
    out.key("messages").number(rewound.messages);
    out.key("given_up_turn").number(rewound.given_up);
    out.key("commit").string(rewound.commit);
    out.key("kept_commit").string(rewound.aside.commit);
    out.key("kept_branch").string(rewound.aside.branch);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(Options& options, Opened& opened) {
    options.rewind.to = require_message_id(options.message, "--to");
    life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const std::string workspace =
        agent::Directory(opened.home.path() + "/" + held.agent.dir).workspace();
    const turn::Surroundings surroundings = surroundings_of(opened);
    const turn::Rewound rewound =
        turn::rewind(std::move(*opened.store), std::move(held), options.rewind, surroundings);
    if (options.json)
        print_json(options, rewound);
    else
        print_text(options, workspace, rewound);
    return base::ExitStatus::done;
}

}  // namespace

Action add_rewind(CLI::App& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.add_option("--to", options->message, "to before that message of the user")
        ->type_name("MESSAGE")
        ->required();
    verb.add_flag("--workspace", options->rewind.workspace, "the workspace too");
    verb.add_option("-t,--thread", options->rewind.thread, "main, a number, a branch")
        ->type_name("THREAD");
    verb.add_flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
