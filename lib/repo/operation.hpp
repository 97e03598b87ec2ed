// A merge, cherry-pick, revert, rebase, am or bisect that is in progress in the repository. Include
// it in this room's .cpp files only.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repo/git.hpp"

namespace chorus::repo {

enum class Ending {
    none,    // no operation is in progress
    commit,  // a commit ends it: merge, cherry-pick, revert
    other,   // only git ends it: rebase, am, a merge with an autostash
    never,   // commits do not end it: bisect, or the rest of a sequence of cherry-picks
};

struct Operation {
    std::string name;  // "merge", "cherry-pick"
    Ending ending;
};

Operation operation_of(git_repository* repository);
// Throws "WHAT: a merge is in progress" if the operation ends in one of these ways.
void refuse_during(git_repository* repository, std::set<Ending> endings, std::string_view what);

// Sorted, without duplicates.
Texts conflicted_paths(git_index* index);
// Throws "WHAT: conflicts in 'a' and 'b'" if there are any.
void refuse_conflicts(const Texts& paths, std::string_view what);

// The commits being merged that are not in HEAD's history already.
std::vector<CommitObject> merged_commits(git_repository* repository);
// Removes the state of a merge, cherry-pick or revert, as `git commit` does.
void end_operation(git_repository* repository);
// For people and the model: "a merge is in progress: git_commit ends it", or "".
std::string operation_text(git_repository* repository, git_index* index);
// Describes what remains after the current step is committed: the rest of a cherry-pick or revert
// of several commits, or "".
std::string sequence_after_commit(git_repository* repository);

}  // namespace chorus::repo
