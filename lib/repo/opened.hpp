// What the files of this room share of an open repository. Include it in this room's .cpp files
// only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "repo/git.hpp"
#include "repo/repository.hpp"

namespace chorus::repo {

struct Repository::Handle {
    std::string workspace;  // links resolved, no slash at the end
    GitRepository repository;

    git_repository* get() const { return repository.get(); }
};

// Null where .git is no repository (yet); throws where it is not the workspace's own, belongs to a
// user whom safe.directory does not name, or has SHA-256 object names.
GitRepository open_repository(const std::string& workspace);
// Sets user.name and user.email in the repository's own configuration where they are missing.
void complete_configuration(const std::string& workspace, const Author& author);
// Of the repository's own configuration; "" where it has none.
std::string setting(git_repository* repository, const std::string& key);
// user.name and user.email of the repository; what it lacks is the agent's.
Author identity(git_repository* repository, const Author& agent);

// The ref HEAD stands for ("refs/heads/main"), or "" when it is detached.
std::string head_ref(git_repository* repository);
// Null before the first commit.
CommitObject head_commit(git_repository* repository);
CommitObject find_commit(git_repository* repository, const git_oid& id);
Tree tree_of(const git_commit* commit);  // null for null
// As it stands on disk, whatever was staged in memory before.
Index fresh_index(git_repository* repository);
// Whether the work tree lacks the file on purpose (skip-worktree); libgit2 takes it for deleted.
bool is_left_out(git_index* index, const char* path);
// Throws where `ref` is no branch, tag or commit.
Object resolve(git_repository* repository, const std::string& ref);

// The names of the local branches, sorted.
std::vector<std::string> branch_names(git_repository* repository);

}  // namespace chorus::repo
