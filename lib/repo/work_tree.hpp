// Transfers files between work tree and index, as `git add` and `git checkout` do: line ends are
// converted by .gitattributes and core.autocrlf, and no link is followed. Files that git converts
// with a program or a character set are refused: libgit2 supports only the attributes text, eol,
// crlf and ident. Include it in this room's .cpp files only.
#pragma once

#include <string_view>

#include "repo/git.hpp"
#include "sys/path_rules.hpp"

namespace chorus::repo {

// Returns the paths of `files` as the index has them; none means everything. Throws for a path that
// is outside the workspace or in .git.
Texts selection_of(git_repository* repository, const Texts& files);
// A directory covers its contents.
bool covers(const Texts& selection, std::string_view path);

// Updates the in-memory index from the work tree for the selected paths, conflicts included.
// Ignored files stay out, as do repositories inside the workspace that are not submodules. Throws
// for a selected path that is neither tracked nor present, and for a file that only git can
// convert.
void stage(git_repository* repository, git_index* index, const Texts& selection,
           const sys::PathRules& hidden);

// Returns the paths that differ between index and work tree, including new files; or the
// repositories inside the workspace that are not submodules: "inner/".
enum class ListedPaths { files, repositories };
Texts changed_paths(git_repository* repository, git_index* index,
                    ListedPaths wanted = ListedPaths::files);
[[noreturn]] void refuse_inner(const std::string& path);

// Throws for a new file that the selection covers but does not name, if core.excludesFile cannot be
// read here.
void refuse_unread_ignores(git_repository* repository, git_index* index, const Texts& selection);

// Returns the files that a checkout would overwrite although no commit has them, and that libgit2
// notices too late or not at all: those in a directory where `to` has a file, and skip-worktree
// files.
Texts unseen_conflicts(git_repository* repository, git_tree* from, git_tree* to);

// Call it after libgit2 has written the index, so that every git still sees changed files as
// changed.
void keep_changes_visible(git_repository* repository);

// Throws "checkout: 'PATH' has the attribute filter=lfs" for a file that differs between the trees
// and would have to be converted, by the attributes of `to`.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to);
// git_checkout_tree with the line ends of the commit's own .gitattributes. `from` (null: nothing)
// is the tree that the work tree was made from; the options must be those of a safe checkout.
// Returns GIT_ECONFLICT, with nothing written, if it would overwrite changes.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options);

// Whether only libgit2 takes the file for changed: the work tree lacks it on purpose
// (skip-worktree), or it is the content of its git-lfs pointer in the index.
bool is_unchanged(git_index* index, const git_diff_delta& delta);

}  // namespace chorus::repo
