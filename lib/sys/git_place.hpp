// Where the repository of a directory is, found without libgit2 and without obeying anything in it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

// All paths are absolute, with links resolved. Both are "" where there is no .git, or a problem.
struct GitPlace {
    std::string git_directory;  // HEAD and index: .git, worktrees/X or modules/X
    std::string
        common_directory;  // objects, refs and config: the same, except in a linked worktree
    std::shared_ptr<const Fd> git;  // both open (O_PATH), whatever lies at their paths by now
    std::shared_ptr<const Fd> common;
    std::string problem;  // why the .git that is there is not this directory's: "PATH: why"

    bool is_there() const { return !git_directory.empty(); }
    bool is_linked_worktree() const { return git_directory != common_directory; }
};

// A .git directory belongs to its workspace unless its commondir, core.worktree or core.bare say
// otherwise. A .git file ("gitdir: PATH") is accepted where that directory points back, as `git
// worktree add` (worktrees/X/gitdir) and `git submodule` (core.worktree) make it, and where it lies
// outside the workspace, because an agent can make anything inside. Never throws for what it finds.
// The workspace is a path without links: there is nothing where one was put there since.
GitPlace find_git(const std::string& workspace);

// Of the common directory, what linked worktrees share and write.
inline constexpr std::array shared_by_worktrees{"objects", "refs", "logs"};

// Whether it looks like one: HEAD with objects and refs, or with the commondir of a worktree's.
bool is_git_directory(int fd);
// The git directory, bare ones too, that a path without links is or lies in, or "": a work tree may
// lie in one, and what is below it is not the git directory's.
std::string git_directory_around(const std::string& path);

// Removes what killed commands left in .git that had been put there to be protected (chorus(7),
// SANDBOX), where no other needs it.
void remove_mount_points(const std::string& workspace);
// The files that it would remove.
std::vector<std::string> find_mount_points(const std::string& workspace);
// Whether that entry of a git directory is such a file.
bool is_mount_point(int directory, std::string_view name);

}  // namespace chorus::sys
