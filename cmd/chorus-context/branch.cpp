#include "agent/configuration.hpp"
#include "chorus-context/branch_point.hpp"
#include "chorus-context/verbs.hpp"
#include "context/branches.hpp"
#include "place/secrets.hpp"

namespace chorus::command {
namespace {

struct Fork : Holding {
    explicit Fork(cli::Command& verb) : Holding(verb) {
        verb.word("BRANCH", branch, "name of the new branch").required();
        verb.option("--at MESSAGE", message, "fork at this message (default: the last one)");
        verb.flag("--exclude", exclude, "leave out that message").needs("--at");
        verb.option("-t,--thread THREAD", thread, "thread to fork: main, a number or a branch");
    }

    context::ForkAt fork_at(const Opened& opened, const agent::Directory& directory,
                            std::int64_t at) const {
        context::ForkAt fork;
        fork.exclude = exclude;
        fork.message = at;
        const auto own = agent::load_configuration(directory).shared.rolling_window_ms;
        const auto general = agent::load_home_configuration(opened.home).shared.rolling_window_ms;
        fork.rolling_window_ms = own ? *own : general.value_or(fork.rolling_window_ms);
        return fork;
    }

    void run(Opened& opened) const {
        context::check_branch_name(branch);
        const policy::Redaction secrets = place::secrets_of(opened.home, opened.environment);
        if (secrets.holds_active(branch))
            throw Error(ErrorCode::bad_request, "branch: the name holds a key");
        const std::int64_t at = message ? require_message_id(*message, "--at") : 0;
        if (!store::find_agent(opened.store, name) &&
            !store::list_children_named(opened.store, name).empty())
            context::refuse_sub_agent(name);
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::shared);
        opened.store.stop_when(interrupted());
        const auto fork = fork_at(opened, opened.home.directory(held.agent.dir), at);
        const store::Thread parent = require_thread(opened, held.agent, thread);
        const context::NewBranch made = context::make_branch(opened.store, opened.home, held.agent,
                                                             parent, branch, fork, secrets);
        print(made);
    }

    void print(const context::NewBranch& made) const {
        const store::Thread& made_thread = made.branch.thread;
        const auto count = static_cast<std::int64_t>(made.point.kept.size());
        cli::print(json, "new-branch",
                   {{"agent", name},
                    {"branch", made_thread.branch},
                    {"thread", made_thread.id},
                    {"parent_branch", made.branch.parent},
                    {"parent_thread", made_thread.parent_thread},
                    {"branch_point", cli::number(made_thread.branch_point, 0)},
                    {"messages", count},
                    {"unanswered", made.point.unanswered != 0},
                    {"left_out_turn", cli::number(made.point.left_out, 0)},
                    {"commit", made.branch.commit}},
                   made_thread.branch + ": thread " + std::to_string(made_thread.id) + ", " +
                       counted(count, "message") + " of " + made.branch.parent +
                       ", forked at message " + std::to_string(made.point.message));
        if (json) return;
        if (made.point.left_out != 0)
            notice("turn " + std::to_string(made.point.left_out) + " of thread " +
                   std::to_string(made_thread.parent_thread) +
                   " has not ended: the branch starts before it");
        if (made.point.unanswered != 0)
            notice("its last message has no answer yet: chorus-run " + name + " -t " + branch +
                   " --resume asks for one");
    }

    std::string branch;
    std::string thread;
    std::optional<std::string> message;
    bool exclude = false;
};

}  // namespace

const cli::Verb branch_verb = verb<Fork>("branch", "fork a thread at a message", json_object);

}  // namespace chorus::command
