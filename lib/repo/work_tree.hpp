// From the work tree into the index, as `git add` does it, and back: line ends are converted as
// .gitattributes and core.autocrlf say, and no link is followed. Files that git converts with a
// program or a character set are refused: libgit2 knows of attributes text, eol, crlf and ident.
// Include it in this room's .cpp files only.
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

// Returns the paths that differ between index and work tree, new files too; or the repositories
// inside the workspace that are no submodules: "inner/".
enum class Listed { files, repositories };
Texts changed_paths(git_repository* repository, git_index* index, Listed wanted = Listed::files);
[[noreturn]] void refuse_inner(const std::string& path);

// Throws where core.excludesFile is not read here, for a new file that the selection covers and
// does not name.
void refuse_unread_ignores(git_repository* repository, git_index* index, const Texts& selection);

// Returns the files that a checkout would overwrite though they are in no commit, which libgit2
// notices too late or not at all: those in a directory where `to` has a file, and those that are
// skip-worktree.
Texts unseen_conflicts(git_repository* repository, git_tree* from, git_tree* to);

// After libgit2 has written the index: files that are changed still must look so to every git.
void keep_changes_visible(git_repository* repository);

// Throws "checkout: 'PATH' has the attribute filter=lfs" for a file that differs between the trees
// and would have to be converted, by the attributes of `to`.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to);
// git_checkout_tree with the line ends that the commit's own .gitattributes ask for; `from` (null:
// nothing) is what the work tree was made of, and the options are those of a safe checkout. The
// result is GIT_ECONFLICT, with nothing written, where it would overwrite changes.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options);

// Whether libgit2 alone takes the file for changed: the work tree lacks it on purpose
// (skip-worktree), or it is what its pointer of git-lfs in the index stands for.
bool is_unchanged(git_index* index, const git_diff_delta& delta);

}  // namespace chorus::repo
