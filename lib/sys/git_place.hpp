// Finds the repository of a directory, without libgit2 and without obeying anything in it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

// Both paths are absolute, with links resolved; both are "" where there is no .git, or a problem.
struct GitPlace {
    std::string git_directory = {};      // HEAD and index: .git, worktrees/X or modules/X
    std::string common_directory = {};   // objects, refs, config: differs only in a linked worktree
    std::shared_ptr<const Fd> git = {};  // both open (O_PATH), whatever their paths lead to now
    std::shared_ptr<const Fd> common = {};
    std::string problem = {};  // why the .git does not belong to this directory: "PATH: why"

    bool is_there() const { return !git_directory.empty(); }
    bool is_linked_worktree() const { return git_directory != common_directory; }
};

// A .git directory belongs to its workspace unless its commondir, core.worktree or core.bare says
// otherwise. A .git file ("gitdir: PATH") is accepted where that directory points back, as `git
// worktree add` (worktrees/X/gitdir) and `git submodule` (core.worktree) make it, and lies outside
// the workspace, because an agent can make anything inside. Does not throw for what it finds.
// `workspace` is a path without links; the result is empty where it has one now.
GitPlace find_git(const std::string& workspace);

// The parts of the common directory that linked worktrees share and write.
inline constexpr std::array shared_by_worktrees{"objects", "refs", "logs"};

// Whether the open directory looks like a git directory: HEAD with objects and refs, or with the
// commondir of a worktree.
bool is_git_directory(int fd);
// Returns the git directory, bare or not, that contains or is `path`, a path without links. Returns
// "" for a path in a work tree, even where the work tree itself lies in a git directory.
std::string git_directory_around(const std::string& path);

// Removes the mount points that killed commands left in .git (chorus(7), SANDBOX), unless another
// command uses them.
void remove_mount_points(const std::string& workspace);
// Returns the files that remove_mount_points() would remove.
std::vector<std::string> find_mount_points(const std::string& workspace);
// Whether an entry of a git directory is such a file.
bool is_mount_point(int directory, std::string_view name);

}  // namespace chorus::sys
