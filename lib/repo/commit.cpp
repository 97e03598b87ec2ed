#include <time.h>

#include "base/text.hpp"
#include "repo/directory.hpp"
#include "repo/draft.hpp"
#include "repo/opened.hpp"
#include "repo/operation.hpp"
#include "repo/staging.hpp"
#include "sys/clock.hpp"

namespace chorus::repo {
namespace {

constexpr const char* first_message = "Initial commit";
constexpr std::int64_t index_wait_ms = 2'000;

std::string checked_message(const std::string& message) {
    const std::string text = base::replace_invalid_utf8(base::trim(message));
    if (text.empty()) throw base::Error(base::ErrorCode::failed, "commit: the message is empty");
    if (text.find('\0') != std::string::npos)
        throw base::Error(base::ErrorCode::failed, "commit: the message has a NUL in it");
    return text + "\n";
}

// In UTC, so that the id depends on nothing but the contents, the author and the clock.
Signature signature_of(const Author& author) {
    return make<Signature>("commit", git_signature_new, author.name.c_str(), author.email.c_str(),
                           static_cast<git_time_t>(sys::now_ms() / 1000), 0);
}

// A git of the person or of a task holds the index for milliseconds; that is waited for.
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

// HEAD's tree with the selected paths as they are in `index`: what else is staged stays staged.
git_oid selected_tree(git_repository* repository, git_index* index, git_tree* base,
                      const Selection& selection) {
    const auto picked = make<Index>("commit", git_index_new);
    if (base != nullptr) check(git_index_read_tree(picked.get(), base), "commit");
    const auto diff =
        make<Diff>("commit", git_diff_tree_to_index, repository, base, index, nullptr);
    for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
        const char* path = git_diff_get_delta(diff.get(), i)->new_file.path;
        if (!selection.covers(path)) continue;
        const git_index_entry* entry = git_index_get_bypath(index, path, 0);
        check(entry != nullptr ? git_index_add(picked.get(), entry)
                               : git_index_remove_bypath(picked.get(), path),
              "commit");
    }
    git_oid id;
    check(git_index_write_tree_to(&id, picked.get(), repository), "commit");
    return id;
}

bool is_empty(git_index* index) {
    return git_index_entrycount(index) == 0;
}

// The kinds that git's own reflog tells apart.
std::string reflog_entry(const Draft& draft) {
    const std::string_view kind = !draft.parent          ? "commit (initial): "
                                  : draft.picked         ? "commit (cherry-pick): "
                                  : draft.merged.empty() ? "commit: "
                                                         : "commit (merge): ";
    return std::string(kind) + std::string(base::split_lines(draft.message).front());
}

void move_head(git_repository* repository, const Draft& draft) {
    const std::string branch = head_ref(repository);
    const git_commit* parent = draft.parent.get();
    make<Reference>(
        "commit", git_reference_create_matching, repository,
        branch.empty() ? "HEAD" : branch.c_str(), &draft.id, static_cast<int>(parent != nullptr),
        parent != nullptr ? git_commit_id(parent) : nullptr, reflog_entry(draft).c_str());
}

// The index first: were it written last, a crash would show the commit's changes undone. What says
// that a merge is under way last: a crash before that leaves a merge with nothing to commit.
void publish(git_repository* repository, const Draft& draft) {
    write_index(draft.index.get());
    check(
        git_repository_set_ident(repository, draft.author.name.c_str(), draft.author.email.c_str()),
        "commit");
    move_head(repository, draft);
    end_operation(repository);
}

std::vector<std::string> unresolved(git_index* index, const Selection& selection) {
    std::vector<std::string> paths = conflicted_paths(index);
    std::erase_if(paths, [&](const std::string& path) { return selection.names(path); });
    return paths;
}

// Of a merge, cherry-pick or revert all that it staged: a commit of some of its files would undo
// the others.
git_oid tree_to_commit(git_repository* repository, const Draft& draft, const Selection& selection) {
    const bool is_whole =
        selection.is_everything() || operation_of(repository).ending == Ending::commit;
    return is_whole ? written_tree(draft.index.get())
                    : selected_tree(repository, draft.index.get(),
                                    tree_of(draft.parent.get()).get(), selection);
}

void refuse_empty(git_repository* repository, const git_oid& tree, const Draft& draft) {
    if (!draft.merged.empty()) return;
    const git_commit* parent = draft.parent.get();
    const bool is_same = parent != nullptr ? git_oid_cmp(&tree, git_commit_tree_id(parent)) == 0
                                           : is_empty(draft.index.get());
    if (!is_same) return;
    const Operation operation = operation_of(repository);
    std::string hint;
    if (operation.ending == Ending::commit)
        hint = "`git " + std::string(operation.name) +
               (operation.name == "merge" ? " --abort`" : " --skip`") + " in bash ends the " +
               std::string(operation.name);
    throw base::Error(base::ErrorCode::failed, "commit: nothing to commit", hint);
}

bool has_in_history(git_repository* repository, const git_oid& newest, const git_oid& id) {
    return git_oid_cmp(&id, &newest) == 0 || git_graph_descendant_of(repository, &newest, &id) == 1;
}

}  // namespace

Draft::Draft(const std::string& workspace, git_repository* repository, const Author& agent,
             std::string text)
    : mutation(workspace),
      index(fresh_index(repository)),
      parent(head_commit(repository)),
      merged(merged_commits(repository)),
      picked(picked_commit(repository)),
      author(identity(repository, agent)),
      message(std::move(text)) {}

git_oid written_tree(git_index* index) {
    git_oid id;
    check(git_index_write_tree(&id, index), "commit");
    return id;
}

void write_commit(git_repository* repository, const git_oid& tree, Draft& draft) {
    std::vector<const git_commit*> parents;
    if (draft.parent) parents.push_back(draft.parent.get());
    for (const CommitObject& commit : draft.merged) parents.push_back(commit.get());
    const auto contents = make<Tree>("commit", git_tree_lookup, repository, &tree);
    const Signature committer = signature_of(draft.author);
    const git_signature* author =
        draft.picked ? git_commit_author(draft.picked.get()) : committer.get();
    check(git_commit_create(&draft.id, repository, nullptr, author, committer.get(), nullptr,
                            draft.message.c_str(), contents.get(), parents.size(), parents.data()),
          "commit");
}

void Repository::commit_first(const Author& author) {
    if (head_commit(handle_->get())) return;
    Draft draft(handle_->workspace, handle_->get(), author, checked_message(first_message));
    stage(handle_->get(), draft.index.get(), Selection(handle_->workspace, {}));
    write_commit(handle_->get(), written_tree(draft.index.get()), draft);
    publish(handle_->get(), draft);
}

PlannedCommit Repository::plan_commit(const std::string& message,
                                      const std::vector<std::string>& files, const Author& author) {
    std::string text = checked_message(message);
    const Selection selection(handle_->workspace, files);
    git_repository* const repository = handle_->get();
    refuse_during_rebase(repository, "commit");
    const auto draft =
        std::make_shared<Draft>(handle_->workspace, repository, author, std::move(text));
    refuse_conflicts(unresolved(draft->index.get(), selection), "commit");
    stage(repository, draft->index.get(), selection);
    const git_oid tree = tree_to_commit(repository, *draft, selection);
    refuse_empty(repository, tree, *draft);
    write_commit(repository, tree, *draft);
    return {text_of(draft->id), [repository, draft] { publish(repository, *draft); },
            sequence_after_commit(repository)};
}

std::string Repository::commit(const std::string& message, const std::vector<std::string>& files,
                               const Author& author) {
    const PlannedCommit planned = plan_commit(message, files, author);
    planned.finish();
    return planned.id;
}

bool Repository::contains(const std::string& commit) const {
    git_repository* const repository = handle_->get();
    git_oid id;
    if (commit.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, commit.c_str()) != 0) return false;
    const auto database = make<ObjectDatabase>("git", git_repository_odb, repository);
    if (git_odb_exists(database.get(), &id) != 1) return false;
    const CommitObject head = head_commit(repository);
    if (head && has_in_history(repository, *git_commit_id(head.get()), id)) return true;
    for (const std::string& branch : branch_names(repository)) {
        git_oid newest;
        const std::string ref = "refs/heads/" + branch;
        if (git_reference_name_to_id(&newest, repository, ref.c_str()) == 0 &&
            has_in_history(repository, newest, id))
            return true;
    }
    return false;
}

}  // namespace chorus::repo
