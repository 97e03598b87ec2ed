// From the work tree into the index, as `git add` does it: line ends are converted as
// .gitattributes and core.autocrlf say, and no link is followed. Include it in this room's .cpp
// files only.
#pragma once

#include <string_view>

#include "repo/git.hpp"

namespace chorus::repo {

// The paths of `files` as the index has them; empty: everything. Throws for one that is outside the
// workspace or in .git.
Texts selection_of(git_repository* repository, const Texts& files);
// A directory covers what is in it.
bool covers(const Texts& selection, std::string_view path);

// Brings the index (in memory) up to date with the work tree where the selection says so, conflicts
// included. Ignored files stay out, and repositories inside the workspace that are no submodules.
// Throws for a selected path that is neither tracked nor there, and for a file that only git itself
// can convert.
void stage(git_repository* repository, git_index* index, const Texts& selection);

// Into the index (in memory): what the work tree has under a name that the tree has and the index
// has not. After stage() these are ignored files.
void stage_in_the_way(git_repository* repository, git_index* index, git_tree* tree);

// Removes from the work tree every link at or above a path of the tree: libgit2 would write through
// it, wherever it leads.
void remove_links(git_repository* repository, git_tree* tree);

// After libgit2 has written the index: files that are changed still must look so to every git.
void keep_changes_visible(git_repository* repository);

}  // namespace chorus::repo
