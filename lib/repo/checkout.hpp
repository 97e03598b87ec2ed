// From a commit into the work tree. Include it in this room's .cpp files only.
#pragma once

#include "repo/git.hpp"

namespace chorus::repo {

// git_checkout_tree with the line ends that the commit's own .gitattributes ask for; `from` (null:
// nothing) is what the work tree was made of. The result is GIT_ECONFLICT, with nothing written,
// where a safe checkout would overwrite changes.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options);

}  // namespace chorus::repo
