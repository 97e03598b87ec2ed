// A commit in the making. Include it in this room's .cpp files only.
#pragma once

#include <string>
#include <vector>

#include "repo/git.hpp"
#include "repo/mutation.hpp"

namespace chorus::repo {

struct Draft {
    Mutation mutation;
    Index index;  // in memory: what is staged in it is written by whoever wants it written
    CommitObject parent;
    std::vector<CommitObject> merged;  // the further parents of a merge
    CommitObject picked;               // whose author a cherry-pick keeps, or null
    Author author;
    std::string message;
    git_oid id{};

    Draft(git_repository* repository, const Author& agent, std::string text);
};

Tree written_tree(git_repository* repository, git_index* index);
// The object alone, with the draft's parents; its id becomes the draft's. No ref names it.
void write_commit(git_repository* repository, const git_tree* tree, Draft& draft);

}  // namespace chorus::repo
