#include "context/branches.hpp"

#include <charconv>
#include <iostream>

#include "agent/configuration.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "chorus-context/verbs.hpp"
#include "command/verb.hpp"
#include "context/find_thread.hpp"
#include "place/secrets.hpp"
#include "upkeep/rewind.hpp"

namespace chorus::command {
namespace {

// Reads the number of a message or a checkpoint.
std::int64_t require_number(const std::string& text, const char* option, const char* what,
                            const char* hint) {
    std::int64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error == std::errc{} && end == last && number > 0) return number;
    throw Error(ErrorCode::bad_request,
                std::string(option) + ": " + base::quoted(text) + " is not the " + what, hint);
}

std::int64_t require_message_id(const std::string& text, const char* option) {
    return require_number(text, option, "id of a message",
                          "the transcript shows them: <!-- message 7 -->");
}

struct Fork : Holding {
    explicit Fork(cli::Command& verb) : Holding(verb) {
        verb.word("BRANCH", branch, "name of the new branch").required();
        verb.option("--at MESSAGE", message, "fork at this message (default: the last one)");
        verb.flag("--exclude", exclude, "leave out that message").needs("--at");
        verb.option("-t,--thread THREAD", thread, "thread to fork: main, a number or a branch");
        verb.flag("--json", json, "print one JSON object");
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

    ExitStatus run(Opened& opened) const {
        context::check_branch_name(branch);
        const policy::Redaction secrets = place::secrets_of(opened.home, opened.environment);
        if (secrets.holds_active(branch))
            throw Error(ErrorCode::bad_request, "branch: the name holds a key");
        const std::int64_t at = message ? require_message_id(*message, "--at") : 0;
        if (!store::find_agent(opened.store, name) && store::find_child_by_name(opened.store, name))
            context::refuse_sub_agent(name);
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::shared);
        const auto fork = fork_at(opened, opened.directory(held.agent), at);
        const store::Thread parent = require_thread(opened, held.agent, thread);
        const context::NewBranch made = context::make_branch(opened.store, opened.home, held.agent,
                                                             parent, branch, fork, secrets);
        return print(made);
    }

    ExitStatus print(const context::NewBranch& made) const {
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
        if (json) return ExitStatus::done;
        if (made.point.left_out != 0)
            notice("turn " + std::to_string(made.point.left_out) + " of thread " +
                   std::to_string(made_thread.parent_thread) +
                   " has not ended: the branch starts before it");
        if (made.point.unanswered != 0)
            notice("its last message has no answer yet: chorus-run " + name + " -t " + branch +
                   " --resume asks for one");
        return ExitStatus::done;
    }

    std::string branch;
    std::string thread;
    std::optional<std::string> message;
    bool exclude = false;
    bool json = false;
};

struct Branches : Named {
    explicit Branches(cli::Command& verb) : Named(verb) {
        verb.flag("--json", json, "print one JSON object per line");
    }

    static Fields fields_of(const context::Branch& branch, const std::string& agent) {
        const store::Thread& thread = branch.thread;
        const std::string origin =
            branch.parent.empty() ? "-"
                                  : branch.parent + " at " + std::to_string(thread.branch_point);
        return {{"agent", agent},
                {"branch", thread.branch, (branch.is_current ? "* " : "  ") + thread.branch},
                {"thread", thread.id, "thread " + std::to_string(thread.id)},
                {"current", branch.is_current},
                {"status", thread.status},
                {"parent_branch", branch.parent, origin},
                {"parent_thread", cli::number(thread.parent_thread, 0)},
                {"branch_point", cli::number(thread.branch_point, 0)},
                {"commit", branch.commit},
                {"created_at", Time{thread.created_at}},
                {"last_activity_at", Time{thread.last_activity}}};
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        context::reclaim_branches(opened.store, opened.home, agent);
        const cli::Table table("branch", {{.key = "branch"},
                                          {.key = "thread", .width = 10},
                                          {.key = "parent_branch"},
                                          {.key = "status"},
                                          {.key = "last_activity_at"}});
        table.print(cli::each(context::list_branches(opened.store, opened.home, agent),
                              [&](const auto& branch) { return fields_of(branch, agent.name); }),
                    cli::form_of_stdout(json));
        return ExitStatus::done;
    }

    bool json = false;
};

struct Switch : Holding {
    explicit Switch(cli::Command& verb) : Holding(verb) {
        verb.word("BRANCH", branch, "main, or a branch, by its full or short name").required();
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const auto thread = context::find_branch(opened.store, held.agent, branch);
        if (!thread)
            throw Error(ErrorCode::not_found,
                        "agent '" + held.agent.name + "': no branch " + base::quoted(branch),
                        "chorus-context branches " + held.agent.name + " lists them");
        context::make_current(opened.store, opened.home, held.agent, *thread);
        return cli::print(
            json, "current-branch",
            {{"agent", held.agent.name}, {"branch", thread->branch}, {"thread", thread->id}},
            "current: " + thread->branch + ", thread " + std::to_string(thread->id));
    }

    std::string branch;
    bool json = false;
};

struct Rewind : Holding {
    explicit Rewind(cli::Command& verb) : Holding(verb) {
        verb.option("--to MESSAGE", message, "go back to before this message of the user");
        verb.flag("--workspace", wanted.workspace, "also put back the files of the workspace");
        verb.option("--checkpoint NUMBER", checkpoint,
                    "put back only the files, to this checkpoint");
        verb.flag("--force", wanted.force, "also put back files that others have changed");
        verb.option("-t,--thread THREAD", wanted.thread, "thread: main, a number or a branch");
        verb.flag("--json", json, "print one JSON object");
    }

    void read_options() {
        if (message.empty() == checkpoint.empty())
            throw Error(ErrorCode::bad_request, "rewind: one of --to and --checkpoint is needed");
        if (!message.empty()) wanted.to = require_message_id(message, "--to");
        if (wanted.force && checkpoint.empty() && !wanted.workspace)
            throw Error(ErrorCode::bad_request, "rewind: --force is for the files of the workspace",
                        "use --workspace or --checkpoint with it");
        if (!checkpoint.empty())
            wanted.checkpoint = require_number(checkpoint, "--checkpoint", "number of a checkpoint",
                                               "rewind --workspace prints them");
    }

    Fields fields_of(const upkeep::Rewound& rewound) const {
        const upkeep::WorkspaceGoneBack& gone = rewound.workspace;
        return {{"agent", name},
                {"thread", cli::number(rewound.thread, 0)},
                {"to", cli::number(wanted.to, 0)},
                {"last", cli::number(rewound.last, 0)},
                {"messages", rewound.messages},
                {"given_up_turn", cli::number(rewound.given_up, 0)},
                {"checkpoint", cli::number(gone.checkpoint, 0)},
                {"undo_checkpoint", cli::number(gone.undo, 0)},
                {"put_back", gone.put_back},
                {"kept", gone.kept},
                {"missing", gone.missing},
                {"commit_then", gone.commit_then},
                {"commit", gone.commit_now}};
    }

    // Prints what has left the window, and the command that undoes it.
    void print_messages(const upkeep::Rewound& rewound) const {
        std::cout << "thread " << rewound.thread << ": back to before message " << wanted.to << "; "
                  << counted(rewound.messages, "message")
                  << (rewound.messages == 1 ? " has" : " have") << " left the window, up to "
                  << rewound.last << "\n  undo: chorus-context branch " << name << " BRANCH --at "
                  << rewound.last << " -t " << rewound.thread << '\n';
    }

    void print_files(const upkeep::WorkspaceGoneBack& gone) const {
        if (gone.checkpoint == 0) {
            std::cout << "workspace: unchanged; no turn has written there since\n";
            return;
        }
        const auto print_paths = [](const char* what, const std::vector<std::string>& paths) {
            for (const std::string& path : paths)
                std::cout << "  " << what << ": " << one_line(path) << '\n';
        };
        const std::string command = "chorus-context rewind " + name + " --checkpoint ";
        std::cout << "workspace: checkpoint " << gone.checkpoint << "; "
                  << counted(static_cast<std::int64_t>(gone.put_back.size()), "path")
                  << " put back\n";
        if (gone.undo != 0) std::cout << "  undo: " << command << gone.undo << '\n';
        print_paths("kept", gone.kept);
        print_paths("not in the checkpoint", gone.missing);
        if (!gone.kept.empty())
            std::cout
                << "  kept paths were changed after the turns, or are too large to be undone; "
                   "to put them back too: "
                << command << gone.checkpoint << " --force\n";
    }

    static void print_commits(const upkeep::WorkspaceGoneBack& gone, const std::string& directory) {
        if (gone.commit_then.empty() || gone.commit_then == gone.commit_now) return;
        std::cout << "git: HEAD stays at commit " << gone.commit_now
                  << "\n  to move the branch to where it was: git -C "
                  << base::shell_quoted(one_line(directory)) << " reset " << gone.commit_then
                  << '\n';
    }

    ExitStatus run(Opened& opened) {
        read_options();
        life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const std::string directory = opened.directory(held.agent).workspace();
        const place::Surroundings surroundings = opened.surroundings();
        const upkeep::Rewound rewound =
            upkeep::rewind(std::move(opened.store), std::move(held), wanted, surroundings);
        if (json) {
            std::cout << cli::json("rewound", fields_of(rewound)) << '\n';
            return ExitStatus::done;
        }
        if (wanted.to != 0) print_messages(rewound);
        if (rewound.given_up != 0)
            notice("turn " + std::to_string(rewound.given_up) +
                   ", which had not ended, is given up");
        if (wanted.workspace || wanted.checkpoint != 0) {
            print_files(rewound.workspace);
            print_commits(rewound.workspace, directory);
        }
        return ExitStatus::done;
    }

    upkeep::RewindOptions wanted;
    std::string message;
    std::string checkpoint;
    bool json = false;
};

}  // namespace

std::vector<cli::Verb> branch_verbs() {
    return {verb<Fork>("branch", "fork a thread at a message"),
            verb<Branches>("branches", "list the branches of an agent"),
            verb<Rewind>("rewind", "go back to before a message"),
            verb<Switch>("switch", "make another branch the current one")};
}

}  // namespace chorus::command
