#include "repo/operation.hpp"

#include <unistd.h>

#include <map>
#include <set>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

std::string in_git(git_repository* repository, std::string_view name) {
    return git_repository_path(repository) + std::string(name);
}

// "a merge", "an am"
std::string described(const Operation& operation) {
    const bool has_autostash = operation.name == "merge" && operation.ending == Ending::other;
    return (operation.name == "am" ? "an " : "a ") + operation.name +
           (has_autostash ? " with an autostash" : "");
}

std::string command(const Operation& operation, const std::string& option) {
    return "`git " + operation.name + " --" + option + "`";
}

// `git commit` ends a merge and restores its autostash, even without a MERGE_HEAD.
std::string next_command(const Operation& operation) {
    return operation.name == "merge" ? "`git commit`" : command(operation, "continue");
}

// The remaining steps of a cherry-pick or revert of several commits.
std::string steps_left(git_repository* repository) {
    return sys::read_file_if_there(in_git(repository, "sequencer/todo"), base::limits::config_bytes)
        .value_or("");
}

Operation sequence_of(git_repository* repository) {
    const std::string steps = steps_left(repository);
    if (steps.empty()) return {"", Ending::none};
    return {steps.starts_with("revert") ? "revert" : "cherry-pick", Ending::never};
}

std::string sequence_text(git_repository* repository) {
    const Operation sequence = sequence_of(repository);
    if (sequence.ending == Ending::none) return {};
    return described(sequence) +
           " of several commits is in progress: " + command(sequence, "continue") +
           " in bash continues it";
}

}  // namespace

Operation operation_of(git_repository* repository) {
    static const std::map<int, Operation> operations{
        {GIT_REPOSITORY_STATE_MERGE, {"merge", Ending::commit}},
        {GIT_REPOSITORY_STATE_REVERT, {"revert", Ending::commit}},
        {GIT_REPOSITORY_STATE_REVERT_SEQUENCE, {"revert", Ending::commit}},
        {GIT_REPOSITORY_STATE_CHERRYPICK, {"cherry-pick", Ending::commit}},
        {GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE, {"cherry-pick", Ending::commit}},
        {GIT_REPOSITORY_STATE_BISECT, {"bisect", Ending::never}},
        {GIT_REPOSITORY_STATE_REBASE, {"rebase", Ending::other}},
        {GIT_REPOSITORY_STATE_REBASE_INTERACTIVE, {"rebase", Ending::other}},
        {GIT_REPOSITORY_STATE_REBASE_MERGE, {"rebase", Ending::other}},
        {GIT_REPOSITORY_STATE_APPLY_MAILBOX, {"am", Ending::other}},
        {GIT_REPOSITORY_STATE_APPLY_MAILBOX_OR_REBASE, {"am", Ending::other}}};
    if (sys::exists(in_git(repository, "MERGE_AUTOSTASH"))) return {"merge", Ending::other};
    const auto found = operations.find(git_repository_state(repository));
    return found != operations.end() ? found->second : sequence_of(repository);
}

void refuse_during(git_repository* repository, std::set<Ending> endings, std::string_view what) {
    const Operation operation = operation_of(repository);
    if (endings.count(operation.ending) == 0) return;
    const std::string abort = command(operation, "abort");
    refuse(std::string(what) + ": " + described(operation) + " is in progress",
           operation.ending == Ending::commit
               ? "end it with git_commit, or abort it with " + abort + " in bash"
               : "resolve and `git add` the conflicts, then " + next_command(operation) +
                     " in bash; " + abort + " aborts it");
}

Texts conflicted_paths(git_index* index) {
    Texts paths;
    for (const git_index_entry* entry : entries_of(index))
        if (git_index_entry_is_conflict(entry) != 0 &&
            (paths.empty() || paths.back() != entry->path))
            paths.emplace_back(entry->path);
    return paths;
}

void refuse_conflicts(const Texts& paths, std::string_view what) {
    if (!paths.empty())
        refuse(std::string(what) + ": conflicts in " + first_ten(paths),
               "resolve them, then name the files in git_commit's 'files' or `git add` them");
}

std::vector<CommitObject> merged_commits(git_repository* repository) {
    std::vector<git_oid> ids;
    const auto add = [](const git_oid* id, void* to) {
        static_cast<std::vector<git_oid>*>(to)->push_back(*id);
        return 0;
    };
    const int result = git_repository_mergehead_foreach(repository, add, &ids);
    if (result != GIT_ENOTFOUND) check(result, "git: MERGE_HEAD");
    const CommitObject head = commit_at(repository);
    std::vector<CommitObject> commits;
    for (const git_oid& id : ids)
        if (!head ||
            git_graph_reachable_from_any(repository, &id, git_commit_id(head.get()), 1) != 1)
            commits.push_back(make<CommitObject>("git", git_commit_lookup, repository, &id));
    return commits;
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
    std::string text = described(operation) + " is in progress";
    if (conflicts > 0)
        text += " with " + base::counted(static_cast<std::int64_t>(conflicts), "conflict") +
                ": resolve each file, " +
                (commits ? "then name it in git_commit or `git add` it; " : "`git add` it; ");
    else
        text += commits ? ": git_commit ends it; " : ": ";
    if (!commits) text += next_command(operation) + " in bash continues it; ";
    return text + command(operation, "abort") + " aborts it";
}

std::string sequence_after_commit(git_repository* repository) {
    const std::string steps = steps_left(repository);
    const std::size_t first = steps.find('\n');
    const bool is_last = first == std::string::npos || first + 1 == steps.size();
    const bool is_step = operation_of(repository).ending == Ending::commit;
    return is_step && is_last ? "" : sequence_text(repository);
}

}  // namespace chorus::repo
