// What chorus-git does at its callers' request; what it means is said in repository.hpp. Include it
// in this room's .cpp files only.
#pragma once

#include <string>
#include <vector>

#include "repo/git.hpp"

namespace chorus::repo {

void initialise(const std::string& workspace, const Author& author);
// Into the workspace, an empty directory. User and password are for the server of the address
// alone. Returns the paths of what is not simply a file: links, and submodules that were not
// fetched, with a slash at the end.
Texts fetch_clone(const std::string& workspace, const std::string& address, const std::string& user,
                  const std::string& password, const Author& author, bool with_submodules);
// The work tree lacks these links on purpose from here on, those of submodules too.
void leave_out(const std::string& workspace, const Texts& paths);

std::string status(git_repository* repository);
std::string diff(git_repository* repository, const std::string& ref1, const std::string& ref2);
Texts log(git_repository* repository, int count);  // of each: id, author, summary, time
PlannedCommit plan_commit(GitRepository repository, const std::string& message,
                          const Author& author, const Texts& files);
bool contains(git_repository* repository, const std::string& commit);
std::string branches(git_repository* repository);
void create_branch(git_repository* repository, const std::string& name);
void delete_branch(git_repository* repository, const std::string& name);
void checkout(git_repository* repository, const std::string& ref, bool create, const Texts& kept);

}  // namespace chorus::repo
