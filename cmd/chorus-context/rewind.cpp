#include "upkeep/rewind.hpp"

#include <iostream>

#include "base/shell_quoted.hpp"
#include "chorus-context/branch_point.hpp"
#include "chorus-context/verbs.hpp"

namespace chorus::command {
namespace {

struct Rewind : Holding {
    explicit Rewind(cli::Command& verb) : Holding(verb) {
        verb.option("--to MESSAGE", message, "go back to before this message of the user");
        verb.flag("--workspace", wanted.workspace, "also put back the files of the workspace");
        verb.option("--checkpoint NUMBER", checkpoint,
                    "put back only the files, to this checkpoint");
        verb.flag("--force", wanted.force, "also put back files that others have changed");
        verb.option("-t,--thread THREAD", wanted.thread, "thread: main, a number or a branch");
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

    // Prints what has left the window, and the command that undoes it; sub-agents do not branch.
    void print_messages(const upkeep::Rewound& rewound, bool is_sub_agent) const {
        std::cout << "thread " << rewound.thread << ": back to before message " << wanted.to << "; "
                  << counted(rewound.messages, "message")
                  << (rewound.messages == 1 ? " has" : " have") << " left the window, up to "
                  << rewound.last << '\n';
        if (!is_sub_agent)
            std::cout << "  undo: chorus-context branch " << name << " BRANCH --at " << rewound.last
                      << " -t " << rewound.thread << '\n';
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
        const bool has_left = !gone.branch_then.empty() && gone.branch_then != gone.branch_now;
        if (gone.commit_then.empty() || gone.commit_now.empty() ||
            (gone.commit_then == gone.commit_now && !has_left))
            return;
        const std::string git = "git -C " + base::shell_quoted(one_line(directory));
        std::cout << "git: HEAD stays at commit " << gone.commit_now << '\n';
        if (gone.branch_then == gone.branch_now)
            std::cout << "  to move the branch to where it was: " << git << " reset "
                      << gone.commit_then << '\n';
        else if (has_left)
            std::cout << "  to go back to the branch it was on: " << git << " symbolic-ref HEAD "
                      << base::shell_quoted(gone.branch_then) << " && " << git << " reset "
                      << gone.commit_then << '\n';
        else
            std::cout << "  it was at commit " << gone.commit_then << '\n';
    }

    void run(Opened& opened) {
        read_options();
        life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const std::string directory = opened.home.directory(held.agent.dir).workspace();
        const bool is_sub_agent = held.agent.parent_id != 0;
        const place::Surroundings surroundings = opened.surroundings();
        const upkeep::Rewound rewound =
            upkeep::rewind(std::move(opened.store), std::move(held), wanted, surroundings);
        if (json) {
            std::cout << cli::json("rewound", fields_of(rewound)) << '\n';
            return;
        }
        if (wanted.to != 0) print_messages(rewound, is_sub_agent);
        if (rewound.given_up != 0)
            notice("turn " + std::to_string(rewound.given_up) +
                   ", which had not ended, is given up");
        if (wanted.workspace || wanted.checkpoint != 0) {
            print_files(rewound.workspace);
            print_commits(rewound.workspace, directory);
        }
    }

    upkeep::RewindOptions wanted;
    std::string message;
    std::string checkpoint;
};

}  // namespace

const cli::Verb rewind_verb = verb<Rewind>("rewind", "go back to before a message", json_object);

}  // namespace chorus::command
