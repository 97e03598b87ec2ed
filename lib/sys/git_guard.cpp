#include "sys/git_guard.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/mounts.hpp"
#include "sys/place.hpp"

namespace chorus::sys {
namespace {

// What makes git run programs or look elsewhere: read-only below the writable .git. A name that is
// absent cannot be masked without a mount point, so that one is made, harmless to git and libgit2:
// an empty directory or file is the same as none, and a commondir of "./" names the repository
// itself ("." does too, but libgit2 does not find such a repository). Without it a command could
// write a commondir that points to a configuration of its own, which git on the host would obey.
struct Guarded {
    const char* name;
    bool directory;
    std::string_view content;
};
constexpr std::array<Guarded, 7> guarded_git{{{"hooks", true, ""},
                                              {"info", true, ""},
                                              {"modules", true, ""},
                                              {"worktrees", true, ""},
                                              {"config", false, ""},
                                              {"config.worktree", false, ""},
                                              {"commondir", false, "./\n"}}};

// Whether core.worktree or core.bare say that .git belongs to another tree than the one it lies in:
// git does not heed them any more once there is a commondir.
bool serves_another_tree(const std::string& config) {
    for (std::string_view line : base::split_lines(config)) {
        const std::string text = base::to_lower_ascii(base::trim(line));
        std::string_view entry = text;
        if (entry.starts_with("[core]")) entry = base::trim(entry.substr(6));
        const std::string_view key = base::trim(entry.substr(0, entry.find('=')));
        if (key == "worktree") return true;
        if (key == "bare" && entry.find("false") == std::string_view::npos) return true;
    }
    return false;
}

// With the permissions of .git: others may share the repository.
void make_guarded(const std::string& path, const Guarded& guarded, mode_t mode) {
    if (!guarded.directory) return write_file(path, guarded.content, mode & 0666U);
    make_directory(path);
    if (chmod(path.c_str(), mode & 0777U) != 0) throw base::system_error(path);
}

}  // namespace

std::string git_problem(const std::string& workspace) {
    if (workspace.empty()) return {};
    const std::string git = workspace + "/.git";
    const auto status = link_status(git);
    if (!status) return {};
    if (!S_ISDIR(status->st_mode)) return git + ": not a directory of its own: cannot be protected";
    for (const Guarded& guarded : guarded_git) {
        const std::string path = git + "/" + guarded.name;
        const auto entry = link_status(path);
        if (entry && S_ISLNK(entry->st_mode)) return path + ": a link cannot be protected";
    }
    if (exists(git + "/commondir")) return {};
    const auto config = read_file_if_there(git + "/config", 1U << 20);
    if (config && serves_another_tree(*config))
        return git + "/config: core.worktree or core.bare is set: cannot be protected";
    return {};
}

// Bound over itself .git cannot be renamed, and neither can what is bound below it. The kernel
// takes such a mount away when somebody outside renames another file over it, as `git config` does:
// until it ends, a command that runs meanwhile can then write that one.
void add_git(Mounts& mounts, const std::string& workspace) {
    const std::string git = workspace + "/.git";
    const auto status = link_status(git);
    if (!status) return;
    mounts.rebind(git, "--bind");
    const bool writable = access(git.c_str(), W_OK) == 0;
    for (const Guarded& guarded : guarded_git) {
        const std::string path = git + "/" + guarded.name;
        if (!link_status(path)) {
            // What we may not make, a command may not either.
            if (!writable) continue;
            make_guarded(path, guarded, status->st_mode);
        }
        mounts.rebind(path);
    }
}

}  // namespace chorus::sys
