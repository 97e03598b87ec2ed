// Wrappers for libgit2, with which only chorus-git is linked. Include it in this room's .cpp
// files only.
#pragma once

#include <git2.h>
#include <git2/sys/repository.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "repo/repository.hpp"

namespace chorus::repo {

using Texts = std::vector<std::string>;

// Call once, before anything else. Throws if libgit2 does not start.
void start_library();

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {});
// Ends the message of an error about a repository that libgit2 cannot read.
constexpr std::string_view sha256_names = "the repository has SHA-256 object names";
// Turns libgit2's last error into an Error: "what: its message".
base::Error failure(std::string_view what, int result);
void check(int result, std::string_view what);

using Blob = base::Handle<git_blob, git_blob_free>;
using CommitObject = base::Handle<git_commit, git_commit_free>;
using Configuration = base::Handle<git_config, git_config_free>;
using Diff = base::Handle<git_diff, git_diff_free>;
using GitRepository = base::Handle<git_repository, git_repository_free>;
using Index = base::Handle<git_index, git_index_free>;
using Object = base::Handle<git_object, git_object_free>;
using Packbuilder = base::Handle<git_packbuilder, git_packbuilder_free>;
using Reference = base::Handle<git_reference, git_reference_free>;
using Signature = base::Handle<git_signature, git_signature_free>;
using StatusList = base::Handle<git_status_list, git_status_list_free>;
using Submodule = base::Handle<git_submodule, git_submodule_free>;
using Tree = base::Handle<git_tree, git_tree_free>;
using Walk = base::Handle<git_revwalk, git_revwalk_free>;

// Calls a function that returns its result through its first argument: make<Index>("status",
// git_repository_index, repository).
template <typename Owner, typename Function, typename... Arguments>
Owner make(std::string_view what, Function function, Arguments... arguments) {
    typename Owner::pointer made = nullptr;
    check(function(&made, arguments...), what);
    return Owner(made);
}
// Like make, but returns null for GIT_ENOTFOUND and GIT_EINVALIDSPEC.
template <typename Owner, typename Function, typename... Arguments>
Owner find(std::string_view what, Function function, Arguments... arguments) {
    typename Owner::pointer found = nullptr;
    const int result = function(&found, arguments...);
    if (result == GIT_ENOTFOUND || result == GIT_EINVALIDSPEC) return nullptr;
    check(result, what);
    return Owner(found);
}
// Initialises options: options_by(git_diff_options_init). All structures have version 1.
template <typename Options>
Options options_by(int (*initialise)(Options*, unsigned)) {
    Options options;
    check(initialise(&options, 1), "git");
    return options;
}

std::string text_of(const git_oid& id);

// Returns null if the directory's .git is not a repository (yet).
GitRepository open_repository(const std::string& workspace);
// Sets user.name and user.email in the repository's own configuration if they are missing.
void complete_configuration(git_repository* repository, const Author& author);
// Reads the repository's own configuration; "" if the key is not set.
std::string setting(git_repository* repository, const std::string& key);
bool is_on(git_repository* repository, const char* key);  // false if not set
// The repository's user.name and user.email; the agent's if they are not set.
Author identity(git_repository* repository, const Author& agent);

// The ref that HEAD points to ("refs/heads/main"), or "" if it is detached.
std::string head_ref(git_repository* repository);
// Moves HEAD's branch, which may have no commit yet, or HEAD itself if it is detached.
void move_head(git_repository* repository, const git_commit* from, const git_oid& to,
               const std::string& reflog_entry);
// Returns null if there is no such ref. Before the first commit HEAD has none.
CommitObject commit_at(git_repository* repository, const char* ref = "HEAD");
CommitObject require_head_commit(git_repository* repository);
std::string short_head(git_repository* repository);  // the first seven digits of HEAD's commit
Tree tree_of(const git_commit* commit);              // null for null
// Reads the index from disk and drops what was staged in memory.
Index fresh_index(git_repository* repository);
std::string_view content_of(const git_blob* blob);
std::vector<const git_index_entry*> entries_of(git_index* index);
std::vector<const git_diff_delta*> deltas_of(const git_diff* diff);
// The paths that differ between two trees; null stands for an empty tree.
Texts changed_between(git_repository* repository, git_tree* from, git_tree* to);
// Throws if `ref` is not a branch, tag or commit.
Object resolve(git_repository* repository, const std::string& ref);
// Like resolve, then peels to a commit or tree: resolve_as<Tree>(repository, ref, GIT_OBJECT_TREE).
template <typename Owner>
Owner resolve_as(git_repository* repository, const std::string& ref, git_object_t type) {
    const Object found = resolve(repository, ref);
    auto peeled = make<Object>("git: " + ref, git_object_peel, found.get(), type);
    return Owner(reinterpret_cast<typename Owner::pointer>(peeled.release()));
}

// The names of the local branches, sorted.
Texts branch_names(git_repository* repository);
// "'a', 'b' and 3 more"
std::string first_ten(const Texts& paths);

}  // namespace chorus::repo
