// libgit2, which only chorus-git is linked to. Include it in this room's .cpp files only.
#pragma once

#include <git2.h>
#include <git2/sys/repository.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace chorus::repo {

#define CHORUS_REPO_FUNCTIONS(X)       \
    X(attr_get_many)                   \
    X(attr_value)                      \
    X(blob_free)                       \
    X(blob_lookup)                     \
    X(blob_rawcontent)                 \
    X(blob_rawsize)                    \
    X(branch_create)                   \
    X(branch_iterator_free)            \
    X(branch_iterator_new)             \
    X(branch_name)                     \
    X(branch_next)                     \
    X(checkout_options_init)           \
    X(checkout_tree)                   \
    X(clone)                           \
    X(clone_options_init)              \
    X(commit_author)                   \
    X(commit_create)                   \
    X(commit_free)                     \
    X(commit_id)                       \
    X(commit_lookup)                   \
    X(commit_summary)                  \
    X(commit_time)                     \
    X(commit_tree)                     \
    X(commit_tree_id)                  \
    X(config_free)                     \
    X(config_get_string)               \
    X(config_open_ondisk)              \
    X(config_set_string)               \
    X(config_snapshot)                 \
    X(credential_ssh_key_from_agent)   \
    X(credential_username_new)         \
    X(diff_find_options_init)          \
    X(diff_find_similar)               \
    X(diff_free)                       \
    X(diff_get_delta)                  \
    X(diff_index_to_workdir)           \
    X(diff_num_deltas)                 \
    X(diff_options_init)               \
    X(diff_print)                      \
    X(diff_tree_to_index)              \
    X(diff_tree_to_tree)               \
    X(diff_tree_to_workdir_with_index) \
    X(error_last)                      \
    X(graph_descendant_of)             \
    X(index_add)                       \
    X(index_add_bypath)                \
    X(index_conflict_get)              \
    X(index_conflict_iterator_free)    \
    X(index_conflict_iterator_new)     \
    X(index_conflict_next)             \
    X(index_conflict_remove)           \
    X(index_entrycount)                \
    X(index_find_prefix)               \
    X(index_free)                      \
    X(index_get_byindex)               \
    X(index_get_bypath)                \
    X(index_new)                       \
    X(index_read)                      \
    X(index_read_tree)                 \
    X(index_remove_bypath)             \
    X(index_write)                     \
    X(index_write_tree)                \
    X(index_write_tree_to)             \
    X(libgit2_init)                    \
    X(libgit2_opts)                    \
    X(object_free)                     \
    X(object_peel)                     \
    X(odb_exists)                      \
    X(odb_free)                        \
    X(oid_cmp)                         \
    X(oid_fromstr)                     \
    X(oid_tostr)                       \
    X(reference_create_matching)       \
    X(reference_delete)                \
    X(reference_free)                  \
    X(reference_lookup)                \
    X(reference_name_to_id)            \
    X(reference_peel)                  \
    X(reference_symbolic_create)       \
    X(reference_symbolic_target)       \
    X(repository_commondir)            \
    X(repository_config_snapshot)      \
    X(repository_free)                 \
    X(repository_index)                \
    X(repository_init_ext)             \
    X(repository_init_options_init)    \
    X(repository_mergehead_foreach)    \
    X(repository_odb)                  \
    X(repository_open_ext)             \
    X(repository_path)                 \
    X(repository_set_head)             \
    X(repository_set_head_detached)    \
    X(repository_set_ident)            \
    X(repository_set_index)            \
    X(repository_set_workdir)          \
    X(repository_state)                \
    X(repository_workdir)              \
    X(revparse_single)                 \
    X(revwalk_free)                    \
    X(revwalk_new)                     \
    X(revwalk_next)                    \
    X(revwalk_push_head)               \
    X(revwalk_sorting)                 \
    X(signature_free)                  \
    X(signature_new)                   \
    X(status_byindex)                  \
    X(status_list_entrycount)          \
    X(status_list_free)                \
    X(status_list_new)                 \
    X(status_options_init)             \
    X(submodule_free)                  \
    X(submodule_lookup)                \
    X(submodule_update)                \
    X(submodule_update_options_init)   \
    X(tree_free)                       \
    X(tree_lookup)

// git().diff_free is git_diff_free.
struct Git {
#define CHORUS_REPO_MEMBER(name) decltype(&git_##name) name = &git_##name;
    CHORUS_REPO_FUNCTIONS(CHORUS_REPO_MEMBER)
#undef CHORUS_REPO_MEMBER
};

// Started once per process.
const Git& git();

// The one place that turns libgit2's last error into ours: "what: its words".
base::Error failure(std::string_view what, int result);
void check(int result, std::string_view what);

template <auto function, typename T>
void release(T* handle) {
    (git().*function)(handle);
}

using Blob = base::Handle<git_blob, release<&Git::blob_free, git_blob>>;
using BranchIterator =
    base::Handle<git_branch_iterator, release<&Git::branch_iterator_free, git_branch_iterator>>;
using CommitObject = base::Handle<git_commit, release<&Git::commit_free, git_commit>>;
using ConflictIterator =
    base::Handle<git_index_conflict_iterator,
                 release<&Git::index_conflict_iterator_free, git_index_conflict_iterator>>;
using Configuration = base::Handle<git_config, release<&Git::config_free, git_config>>;
using Diff = base::Handle<git_diff, release<&Git::diff_free, git_diff>>;
using GitRepository = base::Handle<git_repository, release<&Git::repository_free, git_repository>>;
using Index = base::Handle<git_index, release<&Git::index_free, git_index>>;
using Object = base::Handle<git_object, release<&Git::object_free, git_object>>;
using ObjectDatabase = base::Handle<git_odb, release<&Git::odb_free, git_odb>>;
using Reference = base::Handle<git_reference, release<&Git::reference_free, git_reference>>;
using Signature = base::Handle<git_signature, release<&Git::signature_free, git_signature>>;
using StatusList = base::Handle<git_status_list, release<&Git::status_list_free, git_status_list>>;
using Submodule = base::Handle<git_submodule, release<&Git::submodule_free, git_submodule>>;
using Tree = base::Handle<git_tree, release<&Git::tree_free, git_tree>>;
using Walk = base::Handle<git_revwalk, release<&Git::revwalk_free, git_revwalk>>;

// Calls a function that hands out what it made by its first argument: make<Index>("status",
// git().repository_index, repository).
template <typename Owner, typename Function, typename... Arguments>
Owner make(std::string_view what, Function function, Arguments... arguments) {
    typename Owner::pointer made = nullptr;
    check(function(&made, arguments...), what);
    return Owner(made);
}

std::string text_of(const git_oid& id);

}  // namespace chorus::repo
