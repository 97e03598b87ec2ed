#include <sys/stat.h>

#include <algorithm>

#include "base/text.hpp"
#include "repo/mutation.hpp"
#include "repo/operation.hpp"
#include "repo/served_calls.hpp"
#include "repo/work_tree.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"

namespace chorus::repo {
namespace {

void check_name(const std::string& name) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";
    int fits = 0;
    check(git_branch_name_is_valid(&fits, name.c_str()), "git");
    if (fits == 0 || name.find_first_not_of(letters) != std::string::npos)
        refuse("git: '" + name + "' is not a valid branch name", "use letters, digits and . _ - /");
}

std::string ref_of(const std::string& branch) {
    return "refs/heads/" + branch;
}

Reference find_ref(git_repository* repository, const std::string& name) {
    return find<Reference>("git: " + name, git_reference_lookup, repository, name.c_str());
}

// Like `git branch -d`: refuses if commits would become unreachable.
void refuse_unmerged(git_repository* repository, const git_reference* branch,
                     const std::string& name) {
    std::vector<git_oid> kept;
    if (const CommitObject head = commit_at(repository)) kept.push_back(*git_commit_id(head.get()));
    if (const auto upstream = find<Reference>("git: " + name, git_branch_upstream, branch))
        kept.push_back(*git_reference_target(upstream.get()));
    const git_oid* tip = git_reference_target(branch);
    if (git_graph_reachable_from_any(repository, tip, kept.data(), kept.size()) == 1) return;
    refuse("git: branch '" + name + "' is not fully merged",
           "git branch -D " + name + " in bash deletes it anyway");
}

void make_branch(git_repository* repository, const std::string& name, const git_commit* commit) {
    if (find_ref(repository, ref_of(name))) refuse("git: branch '" + name + "' exists");
    make<Reference>("git: " + name, git_branch_create, repository, name.c_str(), commit, 0);
}

struct Destination {
    CommitObject commit;
    std::string branch;  // empty: HEAD is detached
    bool is_new = false;
};

// "@{-1}" is the branch that was checked out before this one.
std::string branch_before(git_repository* repository, const std::string& name) {
    git_object* commit = nullptr;
    git_reference* branch = nullptr;
    if (name.starts_with("@{-")) git_revparse_ext(&commit, &branch, repository, name.c_str());
    const Object found(commit);
    const Reference named(branch);
    return named && git_reference_is_branch(branch) != 0 ? git_reference_shorthand(branch) : name;
}

// A local branch; else a branch of origin, which becomes a local branch, as in git; else any
// commit.
Destination destination(git_repository* repository, const std::string& given) {
    const std::string name = branch_before(repository, given);
    const auto commit = [&](const std::string& ref) {
        return resolve_as<CommitObject>(repository, ref, GIT_OBJECT_COMMIT);
    };
    const std::string remote = "refs/remotes/origin/" + name;
    if (find_ref(repository, ref_of(name))) return {commit(ref_of(name)), name};
    if (!find_ref(repository, remote)) return {commit(name), {}};
    check_name(name);
    return {commit(remote), name, true};
}

struct Obstacles {
    Texts conflicts;
    std::string set_id;  // a path of the target
};

// libgit2 calls this for every path before it writes anything.
int note_obstacle(git_checkout_notify_t why, const char* path, const git_diff_file*,
                  const git_diff_file* target, const git_diff_file*, void* obstacles) {
    auto& noted = *static_cast<Obstacles*>(obstacles);
    if (why == GIT_CHECKOUT_NOTIFY_CONFLICT) noted.conflicts.emplace_back(path);
    const bool is_set_id = target != nullptr && (target->mode & (S_ISUID | S_ISGID)) != 0;
    if (is_set_id) noted.set_id = path;
    return is_set_id ? GIT_EUSER : 0;
}

void check_out(git_repository* repository, const git_commit* commit) {
    const Tree from = tree_of(commit_at(repository).get());
    Obstacles noted{unseen_conflicts(repository, from.get(), tree_of(commit).get()), {}};
    auto options = options_by(git_checkout_options_init);
    options.checkout_strategy = GIT_CHECKOUT_SAFE | GIT_CHECKOUT_DONT_OVERWRITE_IGNORED;
    options.notify_flags = GIT_CHECKOUT_NOTIFY_CONFLICT | GIT_CHECKOUT_NOTIFY_UPDATED;
    options.notify_cb = note_obstacle;
    options.notify_payload = &noted;
    refuse_conversions(repository, from.get(), tree_of(commit).get());
    const int result = noted.conflicts.empty()
                           ? check_out_tree(repository, from.get(), commit, options)
                           : static_cast<int>(GIT_ECONFLICT);
    if (!noted.set_id.empty())
        refuse("checkout: " + noted.set_id + " has a set-id bit in that commit");
    if (result == GIT_ECONFLICT && !noted.conflicts.empty())
        refuse("checkout: would overwrite " + first_ten(noted.conflicts),
               "commit these files or move them away first");
    check(result, "checkout");
}

void refuse_kept(git_repository* repository, const git_commit* commit, const Texts& kept) {
    const Texts changed = changed_between(repository, tree_of(commit_at(repository).get()).get(),
                                          tree_of(commit).get());
    for (const std::string& path : kept)
        if (std::find(changed.begin(), changed.end(), path) != changed.end())
            refuse("checkout: " + path + " would change, but is read-only while a task runs",
                   "wait until the task ends, or end it with task_kill");
}

// Returns the directories that have a HEAD: the repository's own, unless it is bare, and those of
// its worktrees.
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

// Throws if another worktree has the branch checked out, or any worktree rebases it.
void refuse_used(git_repository* repository, const std::string& branch, const std::string& what) {
    const auto names = [&](const std::string& file, const std::string& text) {
        return base::trim(sys::read_git_file(file)) == text + ref_of(branch);
    };
    for (const std::string& directory : git_directories(repository)) {
        const bool is_own = directory == git_repository_path(repository);
        const bool is_rebased = names(directory + "rebase-merge/head-name", "") ||
                                names(directory + "rebase-apply/head-name", "");
        if (is_rebased || (!is_own && names(directory + "HEAD", "ref: ")))
            refuse(what + ": branch '" + branch + "' is " +
                   (is_own ? "being rebased" : "checked out in another worktree"));
    }
}

}  // namespace

std::string branches(git_repository* repository) {
    const std::string current = head_ref(repository);
    std::string lines;
    if (current.empty()) lines = "* (detached at " + short_head(repository) + ")\n";
    for (const std::string& name : branch_names(repository))
        lines += (ref_of(name) == current ? "* " : "  ") + name + "\n";
    return lines;
}

void create_branch(git_repository* repository, const std::string& name) {
    check_name(name);
    const Mutation mutation(git_repository_path(repository));
    make_branch(repository, name, require_head_commit(repository).get());
}

void delete_branch(git_repository* repository, const std::string& name) {
    check_name(name);
    const Mutation mutation(git_repository_path(repository));
    if (head_ref(repository) == ref_of(name))
        refuse("git: branch '" + name + "' is checked out", "check out another branch first");
    const Reference branch = find_ref(repository, ref_of(name));
    if (!branch) refuse("git: there is no branch '" + name + "'");
    refuse_used(repository, name, "git");
    refuse_unmerged(repository, branch.get(), name);
    check(git_reference_delete(branch.get()), "git: " + name);
}

git_oid fetch_head(git_repository* repository, const std::string& source, const std::string& what) {
    const GitRepository from = open_repository(source);
    const CommitObject head = from ? commit_at(from.get()) : CommitObject();
    if (!head) refuse(what + ": there is no commit at " + source);
    const git_oid id = *git_commit_id(head.get());
    const Walk walk = make<Walk>(what, git_revwalk_new, from.get());
    check(git_revwalk_push(walk.get(), &id), what);
    const CommitObject known = commit_at(repository);
    if (known &&
        find<CommitObject>(what, git_commit_lookup, from.get(), git_commit_id(known.get())))
        check(git_revwalk_hide(walk.get(), git_commit_id(known.get())), what);
    // the local transport of libgit2 would copy what every ref of the source needs
    const auto pack = make<Packbuilder>(what, git_packbuilder_new, from.get());
    check(git_packbuilder_insert_walk(pack.get(), walk.get()), what);
    const std::string packs = std::string(git_repository_commondir(repository)) + "objects/pack";
    if (git_packbuilder_object_count(pack.get()) != 0)
        check(git_packbuilder_write(pack.get(), packs.c_str(), 0, nullptr, nullptr), what);
    return id;
}

bool take_branch(git_repository* repository, const std::string& source, const std::string& name) {
    const std::string what = "git: " + name;
    check_name(name);
    const Mutation mutation(git_repository_path(repository));
    if (head_ref(repository) == ref_of(name)) refuse(what + ": the branch is checked out");
    refuse_used(repository, name, "git");
    const git_oid id = fetch_head(repository, source, what);
    const auto is_in = [&](const git_oid& older, const git_oid& newer) {
        return git_oid_equal(&older, &newer) != 0 ||
               git_graph_descendant_of(repository, &newer, &older) == 1;
    };
    const CommitObject head = commit_at(repository);
    if (head && is_in(id, *git_commit_id(head.get()))) return false;
    const Reference before = find_ref(repository, ref_of(name));
    if (before && !is_in(*git_reference_target(before.get()), id))
        refuse(what + ": the branch has other commits");
    make<Reference>(what, git_reference_create, repository, ref_of(name).c_str(), &id, 1,
                    "fetched from a sub-agent");
    return true;
}

void checkout(git_repository* repository, const std::string& ref, bool create, const Texts& kept) {
    if (create) check_name(ref);
    const Mutation mutation(git_repository_path(repository));
    refuse_during(repository, {Ending::commit, Ending::other}, "checkout");
    refuse_conflicts(conflicted_paths(fresh_index(repository).get()), "checkout");
    if (create) {
        const CommitObject head = commit_at(repository);
        if (head) make_branch(repository, ref, head.get());
        return check(git_repository_set_head(repository, ref_of(ref).c_str()), "checkout: " + ref);
    }
    if (ref == "HEAD" || ref == "@") return (void)require_head_commit(repository);
    if (is_on(repository, "core.sparseCheckout"))  // libgit2 would write all files
        refuse("checkout: this is a sparse checkout", "use `git checkout " + ref + "` in bash");
    const Destination target = destination(repository, ref);
    if (!target.branch.empty()) refuse_used(repository, target.branch, "checkout");
    refuse_kept(repository, target.commit.get(), kept);
    check_out(repository, target.commit.get());
    keep_changes_visible(repository);
    if (target.is_new) make_branch(repository, target.branch, target.commit.get());
    check(target.branch.empty()
              ? git_repository_set_head_detached(repository, git_commit_id(target.commit.get()))
              : git_repository_set_head(repository, ref_of(target.branch).c_str()),
          "checkout");
}

}  // namespace chorus::repo
