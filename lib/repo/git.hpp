// libgit2, which only chorus-git is linked to. Include it in this room's .cpp files only.
#pragma once

#include <git2.h>
#include <git2/sys/repository.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace chorus::repo {

// Once, before anything else. Throws where it does not start.
void start_library();

// The one place that turns libgit2's last error into ours: "what: its words".
base::Error failure(std::string_view what, int result);
void check(int result, std::string_view what);

using Blob = base::Handle<git_blob, git_blob_free>;
using BranchIterator = base::Handle<git_branch_iterator, git_branch_iterator_free>;
using CommitObject = base::Handle<git_commit, git_commit_free>;
using ConflictIterator =
    base::Handle<git_index_conflict_iterator, git_index_conflict_iterator_free>;
using Configuration = base::Handle<git_config, git_config_free>;
using Diff = base::Handle<git_diff, git_diff_free>;
using GitRepository = base::Handle<git_repository, git_repository_free>;
using Index = base::Handle<git_index, git_index_free>;
using Object = base::Handle<git_object, git_object_free>;
using ObjectDatabase = base::Handle<git_odb, git_odb_free>;
using Reference = base::Handle<git_reference, git_reference_free>;
using Signature = base::Handle<git_signature, git_signature_free>;
using StatusList = base::Handle<git_status_list, git_status_list_free>;
using Submodule = base::Handle<git_submodule, git_submodule_free>;
using Tree = base::Handle<git_tree, git_tree_free>;
using Walk = base::Handle<git_revwalk, git_revwalk_free>;

// Calls a function that hands out what it made by its first argument: make<Index>("status",
// git_repository_index, repository).
template <typename Owner, typename Function, typename... Arguments>
Owner make(std::string_view what, Function function, Arguments... arguments) {
    typename Owner::pointer made = nullptr;
    check(function(&made, arguments...), what);
    return Owner(made);
}

std::string text_of(const git_oid& id);

}  // namespace chorus::repo
