#include <algorithm>

#include "base/text.hpp"
#include "repo/checkout.hpp"
#include "repo/conversion.hpp"
#include "repo/directory.hpp"
#include "repo/mutation.hpp"
#include "repo/opened.hpp"
#include "repo/operation.hpp"
#include "repo/staging.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t conflicts_shown = 10;

void check_name(const std::string& name) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";
    const bool fits = !name.empty() && name.find_first_not_of(letters) == std::string::npos &&
                      name.front() != '-' && name.front() != '/' && name.back() != '/' &&
                      name.find("//") == std::string::npos && name.find("..") == std::string::npos;
    if (!fits)
        throw base::Error(base::ErrorCode::failed, "git: '" + name + "' is no name for a branch",
                          "a name is made of letters, digits and . _ - /");
}

std::string ref_of(const std::string& branch) {
    return "refs/heads/" + branch;
}

Reference find_ref(git_repository* repository, const std::string& name) {
    git_reference* found = nullptr;
    const int result = git_reference_lookup(&found, repository, name.c_str());
    if (result == GIT_ENOTFOUND || result == GIT_EINVALIDSPEC) return nullptr;
    check(result, "git: " + name);
    return Reference(found);
}

CommitObject commit_at(const git_reference* ref) {
    git_object* commit = nullptr;
    check(git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT), "git");
    return CommitObject(reinterpret_cast<git_commit*>(commit));
}

CommitObject require_head_commit(git_repository* repository) {
    CommitObject commit = head_commit(repository);
    if (!commit) throw base::Error(base::ErrorCode::failed, "git: there is no commit yet");
    return commit;
}

void make_branch(git_repository* repository, const std::string& name, const git_commit* commit) {
    if (find_ref(repository, ref_of(name)))
        throw base::Error(base::ErrorCode::failed, "git: branch '" + name + "' exists");
    make<Reference>("git: " + name, git_branch_create, repository, name.c_str(), commit, 0);
}

struct Destination {
    CommitObject commit;
    std::string branch;  // empty: HEAD is detached
    bool is_new = false;
};

// A branch, or one that origin has: it becomes a branch here, as git does it. Else any commit.
Destination destination(git_repository* repository, const std::string& name) {
    if (const Reference local = find_ref(repository, ref_of(name)))
        return {commit_at(local.get()), name};
    if (const Reference remote = find_ref(repository, "refs/remotes/origin/" + name)) {
        check_name(name);
        return {commit_at(remote.get()), name, true};
    }
    const Object found = resolve(repository, name);
    git_object* commit = nullptr;
    check(git_object_peel(&commit, found.get(), GIT_OBJECT_COMMIT), "checkout: " + name);
    return {CommitObject(reinterpret_cast<git_commit*>(commit)), {}};
}

void move_head(git_repository* repository, const Destination& target) {
    if (target.is_new) make_branch(repository, target.branch, target.commit.get());
    check(target.branch.empty()
              ? git_repository_set_head_detached(repository, git_commit_id(target.commit.get()))
              : git_repository_set_head(repository, ref_of(target.branch).c_str()),
          "checkout");
}

struct Conflicts {
    std::vector<std::string> paths;
    std::size_t count = 0;
};

int note_conflict(git_checkout_notify_t, const char* path, const git_diff_file*,
                  const git_diff_file*, const git_diff_file*, void* target) {
    Conflicts& conflicts = *static_cast<Conflicts*>(target);
    if (++conflicts.count <= conflicts_shown) conflicts.paths.emplace_back(path);
    return 0;
}

base::Error refusal(const Conflicts& conflicts) {
    std::string message = "checkout: would overwrite " + base::quoted_list(conflicts.paths);
    if (conflicts.count > conflicts.paths.size())
        message += " and " + std::to_string(conflicts.count - conflicts.paths.size()) + " more";
    return {base::ErrorCode::failed, message, "commit these files or move them away first"};
}

void check_out(git_repository* repository, const git_commit* commit) {
    Conflicts conflicts;
    git_checkout_options options;
    check(git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION), "checkout");
    options.checkout_strategy = GIT_CHECKOUT_SAFE | GIT_CHECKOUT_DONT_OVERWRITE_IGNORED;
    options.notify_flags = GIT_CHECKOUT_NOTIFY_CONFLICT;
    options.notify_cb = note_conflict;
    options.notify_payload = &conflicts;
    const Tree from = tree_of(head_commit(repository).get());
    refuse_conversions(repository, from.get(), tree_of(commit).get(), "checkout");
    const int result = check_out_tree(repository, from.get(), commit, options);
    if (result == GIT_ECONFLICT && conflicts.count > 0) throw refusal(conflicts);
    check(result, "checkout");
}

// Each has a HEAD: the repository's own directory, unless it is bare, and those of its worktrees.
std::vector<std::string> git_directories(git_repository* repository) {
    const std::string common = git_repository_commondir(repository);
    const auto bare = sys::git_values(sys::read_git_file(common + "config") + "\n" +
                                          sys::read_git_file(common + "config.worktree"),
                                      "core", "bare");
    std::vector<std::string> directories;
    if (bare.empty() || bare.back() != "true") directories.push_back(common);
    const std::string worktrees = common + "worktrees";
    if (sys::is_directory(worktrees))
        for (const std::string& name : sys::list_directory(worktrees))
            directories.push_back(worktrees + "/" + name + "/");
    return directories;
}

// Throws where another worktree works on the branch, or any rebases it.
void refuse_used(git_repository* repository, const std::string& branch, std::string_view what) {
    const std::string ref = ref_of(branch);
    for (const std::string& directory : git_directories(repository)) {
        const bool is_own = directory == git_repository_path(repository);
        for (const char* name : {"rebase-merge/head-name", "rebase-apply/head-name", "HEAD"}) {
            const std::string text = sys::read_git_file(directory + name);
            if (base::trim(text) != (name == std::string_view("HEAD") ? "ref: " + ref : ref) ||
                (is_own && name == std::string_view("HEAD")))
                continue;
            throw base::Error(base::ErrorCode::failed,
                              std::string(what) + ": branch '" + branch + "' is " +
                                  (is_own ? "being rebased" : "checked out in another worktree"));
        }
    }
}

}  // namespace

std::vector<std::string> branch_names(git_repository* repository) {
    const auto iterator =
        make<BranchIterator>("git", git_branch_iterator_new, repository, GIT_BRANCH_LOCAL);
    std::vector<std::string> names;
    git_reference* next = nullptr;
    git_branch_t type = GIT_BRANCH_LOCAL;
    int result = 0;
    while ((result = git_branch_next(&next, &type, iterator.get())) == 0) {
        const Reference branch(next);
        const char* name = nullptr;
        check(git_branch_name(&name, branch.get()), "git");
        names.emplace_back(name);
    }
    if (result != GIT_ITEROVER) check(result, "git");
    std::sort(names.begin(), names.end());
    return names;
}

std::string Repository::branches() const {
    const std::string current = head_ref(handle_->get());
    std::string lines;
    if (current.empty()) {
        const CommitObject commit = head_commit(handle_->get());
        lines = "* (detached at " + text_of(*git_commit_id(commit.get())).substr(0, 7) + ")\n";
    }
    for (const std::string& name : branch_names(handle_->get()))
        lines += (ref_of(name) == current ? "* " : "  ") + name + "\n";
    return lines;
}

void Repository::create_branch(const std::string& name) {
    check_name(name);
    const Mutation mutation(handle_->workspace);
    make_branch(handle_->get(), name, require_head_commit(handle_->get()).get());
}

void Repository::delete_branch(const std::string& name) {
    check_name(name);
    const Mutation mutation(handle_->workspace);
    if (head_ref(handle_->get()) == ref_of(name))
        throw base::Error(base::ErrorCode::failed, "git: branch '" + name + "' is checked out",
                          "check out another branch first");
    const Reference branch = find_ref(handle_->get(), ref_of(name));
    if (!branch)
        throw base::Error(base::ErrorCode::failed, "git: there is no branch '" + name + "'");
    refuse_used(handle_->get(), name, "git");
    check(git_reference_delete(branch.get()), "git: " + name);
}

void Repository::checkout(const std::string& ref, bool create) {
    git_repository* const repository = handle_->get();
    if (create) check_name(ref);
    const Mutation mutation(handle_->workspace);
    refuse_during(repository, "checkout");
    refuse_conflicts(conflicted_paths(fresh_index(repository).get()), "checkout");
    const CommitObject head = head_commit(repository);
    if (create && head) make_branch(repository, ref, head.get());
    if (create) {
        check(git_repository_set_head(repository, ref_of(ref).c_str()), "checkout: " + ref);
        return;
    }
    const Destination target = destination(repository, ref);
    if (!target.branch.empty()) refuse_used(repository, target.branch, "checkout");
    check_out(repository, target.commit.get());
    keep_changes_visible(repository);
    move_head(repository, target);
}

}  // namespace chorus::repo
