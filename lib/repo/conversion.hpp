// Attributes of files, among them of those that git converts with a program or a character set when
// it adds or writes them. libgit2 does neither: of attributes it knows text, eol, crlf and ident.
// Include it in this room's .cpp files only.
#pragma once

#include <string>
#include <string_view>

#include "repo/git.hpp"

namespace chorus::repo {

// Throws "WHAT: 'PATH' has the attribute filter=lfs" where the file would have to be converted.
void refuse_conversion(git_repository* repository, const std::string& path, std::string_view what);
// The same for every file that differs between the trees and is in `to`, by the attributes there.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to,
                        std::string_view what);

bool is_attribute_file(const std::string& path);

// git_checkout_tree with the line ends that the commit's own .gitattributes ask for; `from` (null:
// nothing) is what the work tree was made of. The result is GIT_ECONFLICT, with nothing written,
// where a safe checkout would overwrite changes.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options);

// Whether libgit2 alone takes the file for changed: the work tree lacks it on purpose
// (skip-worktree), or it is what its pointer of git-lfs in the index stands for.
bool is_unchanged(git_repository* repository, git_index* index, const git_diff_delta& delta);

}  // namespace chorus::repo
