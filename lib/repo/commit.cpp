#include <time.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "repo/git_message.hpp"
#include "repo/mutation.hpp"
#include "repo/operation.hpp"
#include "repo/served_calls.hpp"
#include "repo/work_tree.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

constexpr std::int64_t index_wait_ms = 2'000;

// A commit being prepared. Its index is in memory; the caller decides whether it is written.
struct Draft {
    Draft(git_repository* place, const Author& agent, std::string text)
        : repository(place), author(identity(repository, agent)), message(std::move(text)) {}

    git_repository* repository;
    GitRepository owner;  // for a draft that outlives its call
    Mutation mutation{git_repository_path(repository)};
    Index index = fresh_index(repository);
    CommitObject parent = commit_at(repository);
    // the further parents of a merge
    std::vector<CommitObject> merged = merged_commits(repository);
    // whose author a cherry-pick keeps, or null
    CommitObject picked = commit_at(repository, "CHERRY_PICK_HEAD");
    Author author;
    std::string message;
    git_oid id{};
};

std::string checked_message(const std::string& message) {
    const std::string text = base::replace_invalid_utf8(base::trim(message));
    if (text.empty()) refuse("commit: the message is empty");
    if (text.find('\0') != std::string::npos) refuse("commit: the message contains a NUL");
    return text + "\n";
}

// In UTC, so that the id depends only on the contents, the author and the clock.
Signature signature_of(const Author& author) {
    return make<Signature>("commit", git_signature_new, author.name.c_str(), author.email.c_str(),
                           static_cast<git_time_t>(sys::now_ms() / 1000), 0);
}

// Writes only the object, with the draft's parents, and stores its id in the draft. No ref points
// to it.
void write_commit(const git_tree* tree, Draft& draft) {
    std::vector<const git_commit*> parents;
    if (draft.parent) parents.push_back(draft.parent.get());
    for (const CommitObject& commit : draft.merged) parents.push_back(commit.get());
    const Signature committer = signature_of(draft.author);
    const git_signature* author =
        draft.picked ? git_commit_author(draft.picked.get()) : committer.get();
    check(git_commit_create(&draft.id, draft.repository, nullptr, author, committer.get(), nullptr,
                            draft.message.c_str(), tree, parents.size(), parents.data()),
          "commit");
}

// Another git may lock the index for milliseconds, so this waits.
void write_index(git_index* index) {
    const std::int64_t until_ms = sys::monotonic_ms() + index_wait_ms;
    int result = git_index_write(index);
    while (result == GIT_ELOCKED && sys::monotonic_ms() < until_ms) {
        const timespec pause{0, 20'000'000};
        nanosleep(&pause, nullptr);
        result = git_index_write(index);
    }
    check(result, "commit");
}

Tree written_tree(git_repository* repository, git_index* index) {
    git_oid id;
    check(git_index_write_tree_to(&id, index, repository), "commit");
    return make<Tree>("commit", git_tree_lookup, repository, &id);
}

// HEAD's tree with the selected paths as they are in `index`. Other staged changes stay staged.
Tree selected_tree(git_repository* repository, git_index* index, git_tree* base,
                   const Texts& selection) {
    const auto picked = make<Index>("commit", git_index_new);
    if (base != nullptr) check(git_index_read_tree(picked.get(), base), "commit");
    const auto diff =
        make<Diff>("commit", git_diff_tree_to_index, repository, base, index, nullptr);
    for (const git_diff_delta* delta : deltas_of(diff.get())) {
        const char* path = delta->new_file.path;
        if (!covers(selection, path)) continue;
        const git_index_entry* entry = git_index_get_bypath(index, path, 0);
        check(entry != nullptr ? git_index_add(picked.get(), entry)
                               : git_index_remove_bypath(picked.get(), path),
              "commit");
    }
    return written_tree(repository, picked.get());
}

// The kinds are those of git's own reflog.
std::string reflog_entry(const Draft& draft) {
    const std::string_view kind = !draft.parent          ? "commit (initial): "
                                  : draft.picked         ? "commit (cherry-pick): "
                                  : draft.merged.empty() ? "commit: "
                                                         : "commit (merge): ";
    return std::string(kind) + std::string(base::split_lines(draft.message).front());
}

// Writes the index first: otherwise a crash would show the commit's changes as undone. Removes the
// state of a merge last: a crash before that leaves a merge with nothing to commit.
void publish(const Draft& draft) {
    const Author& author = draft.author;
    write_index(draft.index.get());
    check(git_repository_set_ident(draft.repository, author.name.c_str(), author.email.c_str()),
          "commit");
    move_head(draft.repository, draft.parent.get(), draft.id, reflog_entry(draft));
    end_operation(draft.repository);
}

// A conflict is resolved by naming the file, not by naming its directory.
Texts unresolved(git_index* index, const Texts& selection) {
    Texts paths = conflicted_paths(index);
    std::erase_if(paths, [&](const std::string& path) {
        return std::find(selection.begin(), selection.end(), path) != selection.end();
    });
    return paths;
}

// During a merge, cherry-pick or revert everything staged is committed: a commit of some files
// would undo the others.
Tree tree_to_commit(const Draft& draft, const Texts& selection) {
    const bool is_whole =
        selection.empty() || operation_of(draft.repository).ending == Ending::commit;
    return is_whole ? written_tree(draft.repository, draft.index.get())
                    : selected_tree(draft.repository, draft.index.get(),
                                    tree_of(draft.parent.get()).get(), selection);
}

void refuse_empty(const git_tree* tree, const Draft& draft) {
    const git_commit* parent = draft.parent.get();
    const bool is_same = parent != nullptr
                             ? git_oid_equal(git_tree_id(tree), git_commit_tree_id(parent)) != 0
                             : git_index_entrycount(draft.index.get()) == 0;
    if (!is_same || !draft.merged.empty()) return;
    const Operation operation = operation_of(draft.repository);
    if (operation.ending == Ending::commit) {
        const std::string option = operation.name == "merge" ? " --abort`" : " --skip`";
        refuse("commit: nothing to commit",
               "`git " + operation.name + option + " in bash ends the " + operation.name);
    }
    for (const std::string& path :
         changed_paths(draft.repository, draft.index.get(), ListedPaths::repositories))
        refuse_inner(path);
    refuse("commit: nothing to commit");
}

// Returns null if there is no commit with this full id.
CommitObject find_commit(git_repository* repository, const std::string& id) {
    git_oid number;
    if (id.size() != GIT_OID_HEXSZ || git_oid_fromstr(&number, id.c_str()) != 0) return nullptr;
    return find<CommitObject>("git: " + id, git_commit_lookup, repository, &number);
}

void commit_first(git_repository* repository, const Author& author) {
    if (commit_at(repository)) return;
    Draft draft(repository, author, "Initial commit\n");
    stage(repository, draft.index.get(), {}, {});
    write_commit(written_tree(repository, draft.index.get()).get(), draft);
    publish(draft);
}

// An existing repository keeps its configuration.
void prepare_directory(const std::string& workspace, const Author& author) {
    const std::string directory = workspace + "/.git";
    sys::make_directory(directory, 0777);
    const Mutation mutation(directory);
    if (sys::exists(directory + "/config") && open_repository(workspace)) return;
    auto options = options_by(git_repository_init_options_init);
    options.flags = GIT_REPOSITORY_INIT_MKPATH;
    options.initial_head = "main";
    const auto made =
        make<GitRepository>("init", git_repository_init_ext, workspace.c_str(), &options);
    complete_configuration(made.get(), author);
}

}  // namespace

// A linked worktree or submodule has a file instead of the directory.
void initialise(const std::string& workspace, const Author& author) {
    const std::string git = workspace + "/.git";
    if (!sys::exists(git) || sys::is_directory(git)) prepare_directory(workspace, author);
    const GitRepository repository = open_repository(workspace);
    if (!repository) refuse("init: " + workspace + " is not a repository");
    commit_first(repository.get(), author);
    sys::sync_filesystem(git_repository_path(repository.get()));
}

PlannedCommit plan_commit(GitRepository owner, const std::string& message,
                          const std::string& hidden, const Author& author, const Texts& files) {
    git_repository* const repository = owner.get();
    std::string text = checked_message(message);
    const Texts selection = selection_of(repository, files);
    refuse_during(repository, {Ending::other}, "commit");
    if (is_on(repository, "commit.gpgSign"))
        refuse("commit: commit.gpgSign asks for a signature",
               "`git commit` in bash signs; `git config commit.gpgSign false` does without");
    const auto draft = std::make_shared<Draft>(repository, author, std::move(text));
    refuse_conflicts(unresolved(draft->index.get(), selection), "commit");
    refuse_unread_ignores(repository, draft->index.get(), selection);
    sys::PathRules rules;
    for (const std::string_view glob : base::split(hidden, between_globs.front()))
        if (!glob.empty()) rules.deny.emplace_back(glob);
    stage(repository, draft->index.get(), selection, rules);
    const Tree tree = tree_to_commit(*draft, selection);
    refuse_empty(tree.get(), *draft);
    write_commit(tree.get(), *draft);
    draft->owner = std::move(owner);
    return {text_of(draft->id), [draft] { publish(*draft); }, sequence_after_commit(repository)};
}

bool contains(git_repository* repository, const std::string& commit) {
    const CommitObject found = find_commit(repository, commit);
    std::vector<std::string> refs = branch_names(repository);
    for (std::string& ref : refs) ref.insert(0, "refs/heads/");
    refs.emplace_back("HEAD");
    return found && std::any_of(refs.begin(), refs.end(), [&](const std::string& ref) {
               git_oid newest;
               return git_reference_name_to_id(&newest, repository, ref.c_str()) == 0 &&
                      git_graph_reachable_from_any(repository, git_commit_id(found.get()), &newest,
                                                   1) == 1;
           });
}

}  // namespace chorus::repo
