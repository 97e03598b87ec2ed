#include "sys/git_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/git_config.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr int directory_path = O_PATH | O_DIRECTORY;

GitPlace problem(const std::string& path, const std::string& why) {
    return {.problem = path + ": " + why};
}

std::string below(const std::string& directory, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : directory + "/" + std::string(path);
}

// Returns the directory that `path`, the text of a file in `directory`, names, or "".
std::string directory_named(const std::string& directory, std::string_view path) {
    path = base::trim(path);
    if (path.empty() || path.find_first_of(std::string_view("\0\n", 2)) != path.npos) return {};
    const auto found = resolved(below(directory, path));
    return found && open_real(*found, directory_path) ? *found : "";
}

struct Core {
    std::string worktree;
    bool bare = false;
};

// With extensions.worktreeConfig git keeps both in the second file.
Core core_of(const Fd& git) {
    const std::string text =
        read_git_file(git.get(), "config") + "\n" + read_git_file(git.get(), "config.worktree");
    const auto keys = git_section(text, "core");
    const auto last = [&](std::string_view key) {
        const auto found = keys.find(key);
        return found == keys.end() ? "" : found->second.back();
    };
    const std::string bare = base::to_lower_ascii(last("bare"));
    return {last("worktree"), !bare.empty() && bare != "false"};
}

// While a command runs in a submodule, its commondir names the submodule's own git directory.
bool has_other_commondir(const std::string& path, const Fd& git) {
    return link_status(git.get(), "commondir") &&
           directory_named(path, read_git_file(git.get(), "commondir")) != path;
}

GitPlace same(const std::string& path, Fd git) {
    const auto shared = std::make_shared<const Fd>(std::move(git));
    return {path, path, shared, shared};
}

GitPlace own_directory(const std::string& workspace, const std::string& path, Fd git) {
    if (has_other_commondir(path, git))
        return problem(path + "/commondir", "leads out of the workspace");
    const Core core = core_of(git);
    const bool is_own = core.worktree.empty() || directory_named(path, core.worktree) == workspace;
    if (core.bare || !is_own)
        return problem(path + "/config", "core.worktree or core.bare belongs to another directory");
    return same(path, std::move(git));
}

// Accepts only the layout of `git worktree add`: worktrees/X of that repository.
GitPlace linked_worktree(const std::string& file, const std::string& path, Fd git) {
    const std::string common = directory_named(path, read_git_file(git.get(), "commondir"));
    const std::string back = read_git_file(git.get(), "gitdir");
    const std::string named = below(path, base::trim(back));
    const bool is_beneath = !common.empty() && path.starts_with(common + "/worktrees/");
    const auto parent = resolved(named.substr(0, named.rfind('/')));
    Fd shared = is_beneath ? open_real(common, directory_path) : Fd();
    if (!shared || !named.ends_with("/.git") || !parent || *parent + "/.git" != file)
        return problem(path + "/gitdir", "does not name " + file);
    return {path, common, std::make_shared<const Fd>(std::move(git)),
            std::make_shared<const Fd>(std::move(shared))};
}

GitPlace elsewhere(const std::string& workspace, const std::string& file, const std::string& text) {
    constexpr std::string_view prefix = "gitdir:";
    if (!text.starts_with(prefix))
        return problem(file, "neither a directory nor the file of a worktree or submodule");
    const std::string path =
        directory_named(workspace, std::string_view(text).substr(prefix.size()));
    if (path.empty()) return problem(file, "leads to a directory that does not exist");
    if (is_within(path, workspace)) return problem(file, "leads to a directory of the workspace");
    // Other places are not read, because a command can write any path into its .git file.
    if (path.find("/worktrees/") == path.npos && path.find("/modules/") == path.npos)
        return problem(file, "leads to " + path +
                                 ", which is not the git directory of a worktree or submodule");
    Fd git = open_real(path, directory_path);
    if (has_other_commondir(path, git)) return linked_worktree(file, path, std::move(git));
    if (directory_named(path, core_of(git).worktree) != workspace)
        return problem(file, "leads to " + path + ", whose core.worktree is not " + workspace);
    return same(path, std::move(git));
}

}  // namespace

bool is_git_directory(int fd) {
    const auto has = [&](const char* name) { return link_status(fd, name).has_value(); };
    return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

GitPlace find_git(const std::string& workspace) {
    const Fd root = open_real(workspace, directory_path);
    const auto status = root ? link_status(root.get(), ".git") : std::nullopt;
    if (!status) return {};
    const std::string path = workspace + "/.git";
    if (S_ISREG(status->st_mode))
        return elsewhere(workspace, path, read_git_file(root.get(), ".git"));
    if (Fd git = open_beneath(root.get(), ".git", directory_path, Links::none))
        return own_directory(workspace, path, std::move(git));
    return problem(path, "neither a directory nor the file of a worktree or submodule");
}

std::string git_directory_around(const std::string& path) {
    for (std::string place = path; place.size() > 1; place = parent_of(place)) {
        const Fd directory = open_real(place, directory_path);
        if (name_of(place) == ".git" || (directory && is_git_directory(directory.get())))
            return place;
        if (find_git(place).is_there()) return {};
    }
    return {};
}

}  // namespace chorus::sys
