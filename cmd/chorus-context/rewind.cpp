#include "upkeep/rewind.hpp"

#include <charconv>
#include <iostream>

#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    upkeep::RewindOptions rewind;
    std::string message;
    std::string checkpoint;
    bool json = false;
};

// Prints what has left the window, and the command that undoes it.
void print_messages(const Options& options, const upkeep::Rewound& rewound) {
    std::cout << "thread " << rewound.thread << ": back to before message " << options.rewind.to
              << "; " << rewound.messages
              << (rewound.messages == 1 ? " message has" : " messages have")
              << " left the window, up to " << rewound.last << "\n  undo: chorus-context branch "
              << options.named.name << " BRANCH --at " << rewound.last << " -t " << rewound.thread
              << '\n';
}

void print_paths(const char* what, const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        std::cout << "  " << what << ": " << one_line(path) << '\n';
}

void print_workspace(const Options& options, const std::string& directory,
                     const upkeep::WorkspaceGoneBack& gone) {
    if (gone.checkpoint == 0) {
        std::cout << "workspace: unchanged; no turn has written there since\n";
    } else {
        const std::string command = "chorus-context rewind " + options.named.name;
        std::cout << "workspace: checkpoint " << gone.checkpoint << "; "
                  << counted(static_cast<std::int64_t>(gone.put_back.size()), "path")
                  << " put back\n";
        if (gone.undo != 0)
            std::cout << "  undo: " << command << " --checkpoint " << gone.undo << '\n';
        print_paths("kept", gone.kept);
        print_paths("not in the checkpoint", gone.missing);
        if (!gone.kept.empty())
            std::cout
                << "  kept paths were changed after the turns, or are too large to be undone; "
                   "to put them back too: "
                << command << " --checkpoint " << gone.checkpoint << " --force\n";
    }
    if (gone.commit_then.empty() || gone.commit_then == gone.commit_now) return;
    std::cout << "git: HEAD stays at commit " << gone.commit_now << "\n  to move the branch to "
              << "where it was: git -C " << base::shell_quoted(one_line(directory)) << " reset "
              << gone.commit_then << '\n';
}

void write_paths(chat::JsonText& out, const char* key, const std::vector<std::string>& paths) {
    out.key(key).begin_array();
    for (const std::string& path : paths) out.string(base::replace_invalid_utf8(path));
    out.end_array();
}

void print_json(const Options& options, const upkeep::Rewound& rewound) {
    const upkeep::WorkspaceGoneBack& gone = rewound.workspace;
    chat::JsonText out = chat::open_object("rewound");
    write_text(out, "agent", options.named.name);
    write_number(out, "thread", rewound.thread, 0);
    write_number(out, "to", options.rewind.to, 0);
    write_number(out, "last", rewound.last, 0);
    out.key("messages").number(rewound.messages);
    write_number(out, "given_up_turn", rewound.given_up, 0);
    write_number(out, "checkpoint", gone.checkpoint, 0);
    write_number(out, "undo_checkpoint", gone.undo, 0);
    write_paths(out, "put_back", gone.put_back);
    write_paths(out, "kept", gone.kept);
    write_paths(out, "missing", gone.missing);
    write_text(out, "commit_then", gone.commit_then);
    write_text(out, "commit", gone.commit_now);
    std::cout << out.end_object().text() << '\n';
}

void read_options(Options& options) {
    upkeep::RewindOptions& rewind = options.rewind;
    if (options.message.empty() == options.checkpoint.empty())
        throw base::Error(base::ErrorCode::bad_request,
                          "rewind: one of --to and --checkpoint is needed");
    if (!options.message.empty()) rewind.to = require_message_id(options.message, "--to");
    if (rewind.force && options.checkpoint.empty() && !rewind.workspace)
        throw base::Error(base::ErrorCode::bad_request,
                          "rewind: --force is for the files of the workspace",
                          "use --workspace or --checkpoint with it");
    if (options.checkpoint.empty()) return;
    const char* end = options.checkpoint.data() + options.checkpoint.size();
    const auto [after, error] = std::from_chars(options.checkpoint.data(), end, rewind.checkpoint);
    if (error != std::errc{} || after != end || rewind.checkpoint <= 0)
        throw base::Error(base::ErrorCode::bad_request,
                          "--checkpoint: " + base::quoted(options.checkpoint) +
                              " is not the number of a checkpoint",
                          "rewind --workspace prints them");
}

base::ExitStatus run(Options& options, Opened& opened) {
    read_options(options);
    life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const std::string workspace =
        agent::Directory(opened.home.path() + "/" + held.agent.dir).workspace();
    const place::Surroundings surroundings = surroundings_of(opened);
    const upkeep::Rewound rewound =
        upkeep::rewind(std::move(*opened.store), std::move(held), options.rewind, surroundings);
    if (options.json) {
        print_json(options, rewound);
        return base::ExitStatus::done;
    }
    if (options.rewind.to != 0) print_messages(options, rewound);
    if (rewound.given_up != 0)
        notice("turn " + std::to_string(rewound.given_up) + ", which had not ended, is given up");
    if (options.rewind.workspace || options.rewind.checkpoint != 0)
        print_workspace(options, workspace, rewound.workspace);
    return base::ExitStatus::done;
}

}  // namespace

Action add_rewind(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.option("--to MESSAGE", options->message, "go back to before this message of the user");
    verb.flag("--workspace", options->rewind.workspace, "also put back the files of the workspace");
    verb.option("--checkpoint NUMBER", options->checkpoint,
                "put back only the files, to this checkpoint");
    verb.flag("--force", options->rewind.force, "also put back files that others have changed");
    verb.option("-t,--thread THREAD", options->rewind.thread, "thread: main, a number or a branch");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
