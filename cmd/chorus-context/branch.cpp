#include <iostream>

#include "agent/configuration.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "context/branches.hpp"
#include "context/find_thread.hpp"
#include "place/secrets.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    std::string branch;
    std::string thread;
    std::optional<std::string> message;
    bool exclude = false;
    bool json = false;
};

std::int64_t rolling_window_ms(const Opened& opened, const agent::Directory& directory) {
    const auto own = agent::load_configuration(directory).shared.rolling_window_ms;
    const auto general = agent::load_home_configuration(opened.home).shared.rolling_window_ms;
    return own ? *own : general.value_or(context::ForkAt().rolling_window_ms);
}

void print_text(const Options& options, const context::NewBranch& made) {
    const store::Thread& thread = made.branch.thread;
    const std::size_t count = made.point.kept.size();
    std::cout << thread.branch << ": thread " << thread.id << ", " << count
              << (count == 1 ? " message" : " messages") << " of " << made.branch.parent
              << ", forked at message " << made.point.message << '\n';
    if (made.point.left_out != 0)
        notice("turn " + std::to_string(made.point.left_out) + " of thread " +
               std::to_string(thread.parent_thread) +
               " has not ended: the branch starts before it");
    if (made.point.unanswered != 0)
        notice("its last message has no answer yet: chorus-run " + options.named.name + " -t " +
               options.branch + " --resume asks for one");
}

void print_json(const Options& options, const context::NewBranch& made) {
    const store::Thread& thread = made.branch.thread;
    chat::JsonText out = chat::open_object("new-branch");
    write_text(out, "agent", options.named.name);
    write_text(out, "branch", thread.branch);
    out.key("thread").number(thread.id);
    write_text(out, "parent_branch", made.branch.parent);
    out.key("parent_thread").number(thread.parent_thread);
    write_number(out, "branch_point", thread.branch_point, 0);
    out.key("messages").number(static_cast<std::int64_t>(made.point.kept.size()));
    out.key("unanswered").boolean(made.point.unanswered != 0);
    write_number(out, "left_out_turn", made.point.left_out, 0);
    write_text(out, "commit", made.branch.commit);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(Options& options, Opened& opened) {
    context::check_branch_name(options.branch);
    if (place::secrets_of(opened.home, opened.environment).holds_active(options.branch))
        throw base::Error(base::ErrorCode::bad_request, "branch: the name holds a key");
    context::ForkAt at;
    at.exclude = options.exclude;
    if (options.message) at.message = require_message_id(*options.message, "--at");
    const std::string& name = options.named.name;
    if (!store::find_agent(*opened.store, name) && store::find_child_by_name(*opened.store, name))
        context::refuse_sub_agent(name);
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::shared);
    const agent::Directory directory(opened.home.path() + "/" + held.agent.dir);
    at.rolling_window_ms = rolling_window_ms(opened, directory);
    const store::Thread thread =
        context::require_thread(*opened.store, held.agent, directory, options.thread);
    const context::NewBranch made =
        context::make_branch(*opened.store, opened.home, held.agent, thread, options.branch, at,
                             place::secrets_of(opened.home, opened.environment));
    if (options.json)
        print_json(options, made);
    else
        print_text(options, made);
    return base::ExitStatus::done;
}

}  // namespace

Action add_branch(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("BRANCH", options->branch, "name of the new branch").required();
    verb.option("--at MESSAGE", options->message, "fork at this message (default: the last one)");
    verb.flag("--exclude", options->exclude, "leave out that message").needs("--at");
    verb.option("-t,--thread THREAD", options->thread,
                "thread to fork: main, a number or a branch");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
