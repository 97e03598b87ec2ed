#include "sys/git_place.hpp"

#include <string_view>

#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"
#include "sys/place.hpp"

namespace chorus::sys {
namespace {

GitPlace problem(const std::string& path, const std::string& why) {
    return {{}, {}, path + ": " + why};
}

std::string below(const std::string& directory, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : directory + "/" + std::string(path);
}

// The directory that the text of a file in `directory` names, or "".
std::string directory_named(const std::string& directory, std::string_view path) {
    path = base::trim(path);
    if (path.empty() || path.find_first_of(std::string_view("\0\n", 2)) != path.npos) return {};
    const auto found = resolved(below(directory, path));
    return found && is_directory(*found) ? *found : "";
}

struct Core {
    std::string worktree;
    bool bare = false;
};

// With extensions.worktreeConfig git keeps both in the second file.
Core core_of(const std::string& git) {
    const std::string text =
        read_git_file(git + "/config") + "\n" + read_git_file(git + "/config.worktree");
    const auto last = [&](std::string_view key) {
        const auto values = git_values(text, "core", key);
        return values.empty() ? "" : values.back();
    };
    const std::string bare = base::to_lower_ascii(last("bare"));
    return {last("worktree"), !bare.empty() && bare != "false"};
}

GitPlace own_directory(const std::string& workspace, const std::string& git) {
    const std::string commondir = git + "/commondir";
    if (exists(commondir) && directory_named(git, read_git_file(commondir)) != git)
        return problem(commondir, "leads out of the workspace");
    const Core core = core_of(git);
    const bool is_own = core.worktree.empty() || directory_named(git, core.worktree) == workspace;
    if (core.bare || !is_own)
        return problem(git + "/config", "core.worktree or core.bare belongs to another directory");
    return {git, git, {}};
}

// As `git worktree add` lays it out, so that nothing but worktrees/X of that repository is meant.
GitPlace linked_worktree(const std::string& file, const std::string& git) {
    const std::string common = directory_named(git, read_git_file(git + "/commondir"));
    const std::string back = read_git_file(git + "/gitdir");
    const std::string named = below(git, base::trim(back));
    const bool is_beneath = !common.empty() && git.starts_with(common + "/worktrees/");
    const auto parent = resolved(named.substr(0, named.rfind('/')));
    if (!is_beneath || !named.ends_with("/.git") || !parent || *parent + "/.git" != file)
        return problem(git + "/gitdir", "does not name " + file);
    return {git, common, {}};
}

GitPlace submodule(const std::string& workspace, const std::string& file, const std::string& git) {
    if (directory_named(git, core_of(git).worktree) != workspace)
        return problem(file, "leads to " + git + ", whose core.worktree is not " + workspace);
    return {git, git, {}};
}

GitPlace elsewhere(const std::string& workspace, const std::string& file) {
    constexpr std::string_view prefix = "gitdir:";
    const std::string text = read_git_file(file);
    if (!text.starts_with(prefix))
        return problem(file, "neither a directory nor the file of a worktree or submodule");
    const std::string_view path = std::string_view(text).substr(prefix.size());
    const std::string git = directory_named(workspace, path);
    if (git.empty()) return problem(file, "leads to a directory that is not there");
    if (is_within(git, workspace)) return problem(file, "leads to a directory of the workspace");
    // that of a submodule names itself while a command runs there
    const std::string commondir = git + "/commondir";
    const bool is_linked =
        exists(commondir) && directory_named(git, read_git_file(commondir)) != git;
    return is_linked ? linked_worktree(file, git) : submodule(workspace, file, git);
}

}  // namespace

GitPlace find_git(const std::string& workspace) {
    const auto real = resolved(workspace);
    if (!real) return {};
    const std::string git = *real + "/.git";
    const auto status = link_status(git);
    if (!status) return {};
    if (S_ISDIR(status->st_mode)) return own_directory(*real, git);
    if (S_ISREG(status->st_mode)) return elsewhere(*real, git);
    return problem(git, "neither a directory nor the file of a worktree or submodule");
}

}  // namespace chorus::sys
