// The calls that chorus-git serves; repository.hpp describes them. Include it in this room's
// .cpp files only.
#pragma once

#include <string>

#include "repo/git.hpp"

namespace chorus::repo {

void initialise(const std::string& workspace, const Author& author);
// Clones into the workspace, an empty directory. User and password are sent only to the address's
// server. Returns the paths that are not plain files: links, and submodules that were not fetched,
// which end in a slash.
Texts fetch_clone(const std::string& workspace, const std::string& address, const std::string& user,
                  const std::string& password, const Author& author, bool with_submodules);
void clone_head_into(const std::string& workspace, const std::string& source, const Author& author);
// Copies what HEAD of the repository at that path needs, and returns its id.
git_oid fetch_head(git_repository* repository, const std::string& source, const std::string& what);
// Removes these links from the work tree, also in submodules, and marks them skip-worktree.
void leave_out(const std::string& workspace, const Texts& paths);

std::string status(git_repository* repository);
std::string diff(git_repository* repository, const std::string& ref1, const std::string& ref2);
Texts log(git_repository* repository, int count);  // of each: id, author, summary, time
// `hidden`: globs with between_globs between them.
PlannedCommit plan_commit(GitRepository repository, const std::string& message,
                          const std::string& hidden, const Author& author, const Texts& files);
bool contains(git_repository* repository, const std::string& commit);
std::string branches(git_repository* repository);
void create_branch(git_repository* repository, const std::string& name);
void delete_branch(git_repository* repository, const std::string& name);
bool take_branch(git_repository* repository, const std::string& source, const std::string& name);
void checkout(git_repository* repository, const std::string& ref, bool create, const Texts& kept);

}  // namespace chorus::repo
