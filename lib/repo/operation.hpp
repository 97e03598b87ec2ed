// A merge, cherry-pick, revert, rebase, am or bisect that is under way in the repository. Include
// it in this room's .cpp files only.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repo/git.hpp"

namespace chorus::repo {

enum class Ending {
    none,    // nothing is under way
    commit,  // a commit ends it: merge, cherry-pick, revert
    other,   // git itself ends it: rebase, am, a merge that put changes aside (autostash)
    never,   // commits do not concern it: bisect, or the rest of a sequence of cherry-picks
};

struct Operation {
    std::string name;  // "merge", "cherry-pick"
    Ending ending;
};

Operation operation_of(git_repository* repository);
// Throws "WHAT: a merge is in progress" where that ends in one of these ways.
void refuse_during(git_repository* repository, std::set<Ending> endings, std::string_view what);

// Sorted, each once.
Texts conflicted_paths(git_index* index);
// Throws "WHAT: conflicts in 'a' and 'b'" where there are any.
void refuse_conflicts(const Texts& paths, std::string_view what);

// The commits that are merged and not in HEAD's history already.
std::vector<CommitObject> merged_commits(git_repository* repository);
// Removes what says that a merge, cherry-pick or revert is under way, as `git commit` does.
void end_operation(git_repository* repository);
// For people and the model: "a merge is in progress: git_commit ends it", or "".
std::string operation_text(git_repository* repository, git_index* index);
// What goes on when the step under way is committed: the rest of a cherry-pick or revert of several
// commits, or "".
std::string sequence_after_commit(git_repository* repository);

}  // namespace chorus::repo
