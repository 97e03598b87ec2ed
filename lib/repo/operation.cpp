#include "repo/operation.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

std::string in_git(git_repository* repository, std::string_view name) {
    return git_repository_path(repository) + std::string(name);
}

// "a merge", "an am"
std::string with_article(std::string_view name) {
    return (name == "am" ? "an " : "a ") + std::string(name);
}

std::string command(const Operation& operation, std::string_view option) {
    return "`git " + std::string(operation.name) + " --" + std::string(option) + "`";
}

[[noreturn]] void refuse_because_of(const Operation& operation, std::string_view what) {
    refuse(std::string(what) + ": " + with_article(operation.name) + " is in progress",
           operation.ending == Ending::commit
               ? "end it with git_commit, or give it up with " + command(operation, "abort") +
                     " in bash"
               : "settle and `git add` the conflicts, then " + command(operation, "continue") +
                     " in bash; " + command(operation, "abort") + " gives it up");
}

// The steps of a cherry-pick or revert of several commits that are not done.
std::string steps_left(git_repository* repository) {
    return sys::read_file_if_there(in_git(repository, "sequencer/todo"), base::limits::config_bytes)
        .value_or("");
}

Operation sequence_of(git_repository* repository) {
    const std::string steps = steps_left(repository);
    if (steps.empty()) return {};
    return {steps.starts_with("revert") ? "revert" : "cherry-pick", Ending::never};
}

std::string sequence_text(git_repository* repository) {
    const Operation sequence = sequence_of(repository);
    if (sequence.ending == Ending::none) return {};
    return with_article(sequence.name) +
           " of several commits is in progress: " + command(sequence, "continue") +
           " in bash goes on";
}

int note_commit(const git_oid* id, void* target) {
    static_cast<std::vector<git_oid>*>(target)->push_back(*id);
    return 0;
}

}  // namespace

Operation operation_of(git_repository* repository) {
    switch (git_repository_state(repository)) {
        case GIT_REPOSITORY_STATE_MERGE:
            return {"merge", Ending::commit};
        case GIT_REPOSITORY_STATE_REVERT:
        case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
            return {"revert", Ending::commit};
        case GIT_REPOSITORY_STATE_CHERRYPICK:
        case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
            return {"cherry-pick", Ending::commit};
        case GIT_REPOSITORY_STATE_REBASE:
        case GIT_REPOSITORY_STATE_REBASE_INTERACTIVE:
        case GIT_REPOSITORY_STATE_REBASE_MERGE:
            return {"rebase", Ending::other};
        case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
        case GIT_REPOSITORY_STATE_APPLY_MAILBOX_OR_REBASE:
            return {"am", Ending::other};
        case GIT_REPOSITORY_STATE_BISECT:
            return {"bisect", Ending::never};
        default:
            return sequence_of(repository);
    }
}

void refuse_during(git_repository* repository, std::string_view what) {
    if (operation_of(repository).ending == Ending::commit)
        refuse_because_of(operation_of(repository), what);
    refuse_during_rebase(repository, what);
}

void refuse_during_rebase(git_repository* repository, std::string_view what) {
    if (operation_of(repository).ending == Ending::other)
        refuse_because_of(operation_of(repository), what);
}

std::vector<std::string> conflicted_paths(git_index* index) {
    std::vector<std::string> paths;
    const auto iterator =
        make<ConflictIterator>("git: the index", git_index_conflict_iterator_new, index);
    const git_index_entry* sides[3] = {};
    while (git_index_conflict_next(&sides[0], &sides[1], &sides[2], iterator.get()) == 0)
        for (const git_index_entry* side : sides)
            if (side != nullptr) paths.emplace_back(side->path);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

void refuse_conflicts(const std::vector<std::string>& paths, std::string_view what) {
    if (!paths.empty())
        refuse(std::string(what) + ": conflicts in " + first_ten(paths),
               "settle them, then name the files in git_commit's 'files' or `git add` them");
}

std::vector<CommitObject> merged_commits(git_repository* repository) {
    std::vector<git_oid> ids;
    const int result = git_repository_mergehead_foreach(repository, note_commit, &ids);
    if (result != GIT_ENOTFOUND) check(result, "git: MERGE_HEAD");
    const CommitObject head = head_commit(repository);
    std::vector<CommitObject> commits;
    for (const git_oid& id : ids)
        if (!head ||
            git_graph_reachable_from_any(repository, &id, git_commit_id(head.get()), 1) != 1)
            commits.push_back(make<CommitObject>("git", git_commit_lookup, repository, &id));
    return commits;
}

CommitObject picked_commit(git_repository* repository) {
    git_oid id;
    const int result = git_reference_name_to_id(&id, repository, "CHERRY_PICK_HEAD");
    if (result == GIT_ENOTFOUND) return nullptr;
    check(result, "git: CHERRY_PICK_HEAD");
    return make<CommitObject>("git: CHERRY_PICK_HEAD", git_commit_lookup, repository, &id);
}

void end_operation(git_repository* repository) {
    const bool is_over = operation_of(repository).ending == Ending::commit &&
                         sequence_after_commit(repository).empty();
    for (const std::string_view name : {"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG",
                                        "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD"})
        unlink(in_git(repository, name).c_str());
    if (is_over) sys::remove_tree(in_git(repository, "sequencer"));
}

std::string operation_text(git_repository* repository, git_index* index) {
    const Operation operation = operation_of(repository);
    if (operation.ending == Ending::none) return {};
    if (operation.ending == Ending::never)
        return operation.name == "bisect" ? "a bisect is in progress" : sequence_text(repository);
    const std::size_t conflicts = conflicted_paths(index).size();
    const bool commits = operation.ending == Ending::commit;
    std::string text = with_article(operation.name) + " is in progress";
    if (conflicts > 0)
        text += " with " + std::to_string(conflicts) +
                (conflicts == 1 ? " conflict" : " conflicts") + ": settle each file, " +
                (commits ? "then name it in git_commit or `git add` it, " : "`git add` it, ");
    else
        text += commits ? ": git_commit ends it, " : ": ";
    if (!commits) text += command(operation, "continue") + " in bash goes on, ";
    return text + command(operation, "abort") + " gives it up";
}

std::string sequence_after_commit(git_repository* repository) {
    const std::string steps = steps_left(repository);
    const std::size_t first = steps.find('\n');
    const bool is_last = first == std::string::npos || first + 1 == steps.size();
    const bool is_step = operation_of(repository).ending == Ending::commit;
    return is_step && is_last ? "" : sequence_text(repository);
}

}  // namespace chorus::repo
