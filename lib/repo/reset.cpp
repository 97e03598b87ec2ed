#include <fcntl.h>

#include "repo/checkout.hpp"
#include "repo/conversion.hpp"
#include "repo/directory.hpp"
#include "repo/draft.hpp"
#include "repo/operation.hpp"
#include "repo/staging.hpp"

namespace chorus::repo {
namespace {

constexpr int most_branches_of_a_second = 100;

CommitObject require_commit(git_repository* repository, const std::string& commit) {
    git_oid id;
    const auto database = make<ObjectDatabase>("git", git_repository_odb, repository);
    if (commit.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, commit.c_str()) != 0 ||
        git_odb_exists(database.get(), &id) != 1)
        throw base::Error(base::ErrorCode::not_found,
                          "git: commit " + commit + " is not in the workspace's repository");
    return find_commit(repository, id);
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
    throw base::Error(base::ErrorCode::failed, "git: branch '" + name + "' exists");
}

// What is staged in memory alone is forgotten first: a file that is not in the index stays.
void overwrite_work_tree(git_repository* repository, git_tree* from, const git_commit* commit) {
    (void)fresh_index(repository);
    remove_links(repository, tree_of(commit).get());
    git_checkout_options options;
    check(git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION), "reset");
    options.checkout_strategy = GIT_CHECKOUT_FORCE;
    options.file_open_flags = O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
    check(check_out_tree(repository, from, commit, options), "reset");
    const Index index = fresh_index(repository);
    check(git_index_read_tree(index.get(), tree_of(commit).get()), "reset");
    check(git_index_write(index.get()), "reset");
    keep_changes_visible(repository);
}

void move_head(git_repository* repository, const git_commit* from, const git_commit* to) {
    const std::string branch = head_ref(repository);
    const git_oid* id = git_commit_id(to);
    make<Reference>("reset", git_reference_create_matching, repository,
                    branch.empty() ? "HEAD" : branch.c_str(), id, 1, git_commit_id(from),
                    ("reset: moving to " + text_of(*id)).c_str());
}

}  // namespace

void Repository::require_commit(const std::string& commit) const {
    (void)repo::require_commit(handle_->get(), commit);
}

Aside Repository::reset(const std::string& commit, const std::string& branch,
                        const Author& author) {
    git_repository* const repository = handle_->get();
    const CommitObject target = repo::require_commit(repository, commit);
    refuse_during_rebase(repository, "git");
    Draft draft(handle_->workspace, repository, author, "Before going back to " + commit + "\n");
    if (!draft.parent) throw base::Error(base::ErrorCode::failed, "git: there is no commit yet");
    stage(repository, draft.index.get(), Selection(handle_->workspace, {}));
    stage_in_the_way(repository, draft.index.get(), tree_of(target.get()).get());
    const git_oid tree = written_tree(draft.index.get());
    const bool has_changes = git_oid_cmp(&tree, git_commit_tree_id(draft.parent.get())) != 0;
    if (!has_changes && draft.merged.empty() &&
        git_oid_cmp(git_commit_id(draft.parent.get()), git_commit_id(target.get())) == 0)
        return {};
    const auto present = make<Tree>("reset", git_tree_lookup, repository, &tree);
    refuse_conversions(repository, present.get(), tree_of(target.get()).get(), "reset");
    draft.id = *git_commit_id(draft.parent.get());
    draft.picked.reset();
    if (has_changes || !draft.merged.empty()) write_commit(repository, tree, draft);
    const CommitObject kept = find_commit(repository, draft.id);
    Aside aside{text_of(draft.id), make_free_branch(repository, branch, kept.get())};
    // refs and objects are synced by then: from here on nothing that was there can be lost
    overwrite_work_tree(repository, present.get(), target.get());
    move_head(repository, draft.parent.get(), target.get());
    end_operation(repository);
    return aside;
}

}  // namespace chorus::repo
