#include <fcntl.h>

#include "repo/calls.hpp"
#include "repo/conversion.hpp"
#include "repo/draft.hpp"
#include "repo/operation.hpp"
#include "repo/staging.hpp"

namespace chorus::repo {
namespace {

constexpr int most_branches_of_a_second = 100;

CommitObject require(git_repository* repository, const std::string& commit) {
    CommitObject found = find_commit(repository, commit);
    if (!found)
        throw base::Error(base::ErrorCode::not_found,
                          "git: commit " + commit + " is not in the workspace's repository");
    return found;
}

std::string make_free_branch(git_repository* repository, const std::string& name,
                             const git_commit* commit) {
    for (int number = 1; number <= most_branches_of_a_second; ++number) {
        const std::string free = number == 1 ? name : name + "-" + std::to_string(number);
        git_reference* made = nullptr;
        const int result = git_branch_create(&made, repository, free.c_str(), commit, 0);
        const Reference owned(made);
        if (result == 0) return free;
        if (result != GIT_EEXISTS) check(result, "git: " + free);
    }
    refuse("git: branch '" + name + "' exists");
}

// What is staged in memory alone is forgotten first: a file that is not in the index stays.
void overwrite_work_tree(git_repository* repository, git_tree* from, const git_commit* commit) {
    (void)fresh_index(repository);
    remove_links(repository, tree_of(commit).get());
    auto options = options_by(git_checkout_options_init);
    options.checkout_strategy = GIT_CHECKOUT_FORCE;
    options.file_open_flags = O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
    check(check_out_tree(repository, from, commit, options), "reset");
    const Index index = fresh_index(repository);
    check(git_index_read_tree(index.get(), tree_of(commit).get()), "reset");
    check(git_index_write(index.get()), "reset");
    keep_changes_visible(repository);
}

}  // namespace

void require_commit(git_repository* repository, const std::string& commit) {
    (void)require(repository, commit);
}

Aside reset(git_repository* repository, const std::string& commit, const std::string& branch,
            const Author& author) {
    const CommitObject target = require(repository, commit);
    refuse_during_rebase(repository, "git");
    Draft draft(repository, author, "Before going back to " + commit + "\n");
    const git_oid head = *git_commit_id(require_head_commit(repository).get());
    stage(repository, draft.index.get(), {});
    stage_in_the_way(repository, draft.index.get(), tree_of(target.get()).get());
    const Tree present = written_tree(repository, draft.index.get());
    const bool has_changes =
        !draft.merged.empty() ||
        git_oid_equal(git_tree_id(present.get()), git_commit_tree_id(draft.parent.get())) == 0;
    if (!has_changes && git_oid_equal(&head, git_commit_id(target.get())) != 0) return {};
    refuse_conversions(repository, present.get(), tree_of(target.get()).get(), "reset");
    draft.id = head;
    draft.picked.reset();
    if (has_changes) write_commit(repository, present.get(), draft);
    const auto kept = make<CommitObject>("reset", git_commit_lookup, repository, &draft.id);
    Aside aside{text_of(draft.id), make_free_branch(repository, branch, kept.get())};
    // refs and objects are synced by then: from here on nothing that was there can be lost
    overwrite_work_tree(repository, present.get(), target.get());
    move_head(repository, draft.parent.get(), *git_commit_id(target.get()),
              "reset: moving to " + commit);
    end_operation(repository);
    return aside;
}

}  // namespace chorus::repo
