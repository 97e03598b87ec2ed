#include <time.h>

#include "base/text.hpp"
#include "repo/directory.hpp"
#include "repo/draft.hpp"
#include "repo/opened.hpp"
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
    return make<Signature>("commit", git().signature_new, author.name.c_str(), author.email.c_str(),
                           static_cast<git_time_t>(sys::now_ms() / 1000), 0);
}

// A git of the person or of a task holds the index for milliseconds; that is waited for.
void write_index(git_index* index) {
    const std::int64_t until_ms = sys::monotonic_ms() + index_wait_ms;
    int result = git().index_write(index);
    while (result == GIT_ELOCKED && sys::monotonic_ms() < until_ms) {
        const timespec pause{0, 20'000'000};
        nanosleep(&pause, nullptr);
        result = git().index_write(index);
    }
    check(result, "commit");
}

// HEAD's tree with the selected paths as they are in `index`: what else is staged stays staged.
git_oid selected_tree(git_repository* repository, git_index* index, git_tree* base,
                      const Selection& selection) {
    const auto picked = make<Index>("commit", git().index_new);
    if (base != nullptr) check(git().index_read_tree(picked.get(), base), "commit");
    const auto diff =
        make<Diff>("commit", git().diff_tree_to_index, repository, base, index, nullptr);
    for (std::size_t i = 0; i < git().diff_num_deltas(diff.get()); ++i) {
        const char* path = git().diff_get_delta(diff.get(), i)->new_file.path;
        if (!selection.covers(path)) continue;
        const git_index_entry* entry = git().index_get_bypath(index, path, 0);
        check(entry != nullptr ? git().index_add(picked.get(), entry)
                               : git().index_remove_bypath(picked.get(), path),
              "commit");
    }
    git_oid id;
    check(git().index_write_tree_to(&id, picked.get(), repository), "commit");
    return id;
}

bool is_empty(git_index* index) {
    return git().index_entrycount(index) == 0;
}

void move_head(git_repository* repository, const git_oid& id, const git_commit* parent,
               const std::string& message) {
    const std::string branch = head_ref(repository);
    const std::string_view summary = base::split_lines(message).front();
    const std::string entry =
        (parent != nullptr ? "commit: " : "commit (initial): ") + std::string(summary);
    make<Reference>("commit", git().reference_create_matching, repository,
                    branch.empty() ? "HEAD" : branch.c_str(), &id,
                    static_cast<int>(parent != nullptr),
                    parent != nullptr ? git().commit_id(parent) : nullptr, entry.c_str());
}

// The index first: were it written last, a crash would show the commit's changes undone.
void publish(git_repository* repository, const Draft& draft) {
    write_index(draft.index.get());
    check(git().repository_set_ident(repository, draft.author.name.c_str(),
                                     draft.author.email.c_str()),
          "commit");
    move_head(repository, draft.id, draft.parent.get(), draft.message);
}

bool has_in_history(git_repository* repository, const git_oid& newest, const git_oid& id) {
    return git().oid_cmp(&id, &newest) == 0 ||
           git().graph_descendant_of(repository, &newest, &id) == 1;
}

}  // namespace

Draft::Draft(const std::string& workspace, git_repository* repository, Author by, std::string text)
    : mutation(workspace),
      index(fresh_index(repository)),
      parent(head_commit(repository)),
      author(std::move(by)),
      message(std::move(text)) {}

git_oid written_tree(git_index* index) {
    git_oid id;
    check(git().index_write_tree(&id, index), "commit");
    return id;
}

void write_commit(git_repository* repository, const git_oid& tree, Draft& draft) {
    const git_commit* parents[] = {draft.parent.get()};
    const auto contents = make<Tree>("commit", git().tree_lookup, repository, &tree);
    const Signature signature = signature_of(draft.author);
    check(git().commit_create(&draft.id, repository, nullptr, signature.get(), signature.get(),
                              nullptr, draft.message.c_str(), contents.get(), draft.parent ? 1 : 0,
                              parents),
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
    const auto draft =
        std::make_shared<Draft>(handle_->workspace, repository, author, std::move(text));
    stage(repository, draft->index.get(), selection);
    const git_commit* parent = draft->parent.get();
    const git_oid tree =
        selection.is_everything()
            ? written_tree(draft->index.get())
            : selected_tree(repository, draft->index.get(), tree_of(parent).get(), selection);
    const bool is_same = parent != nullptr ? git().oid_cmp(&tree, git().commit_tree_id(parent)) == 0
                                           : is_empty(draft->index.get());
    if (is_same) throw base::Error(base::ErrorCode::failed, "commit: nothing to commit");
    write_commit(repository, tree, *draft);
    return {text_of(draft->id), [repository, draft] { publish(repository, *draft); }};
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
    if (commit.size() != GIT_OID_HEXSZ || git().oid_fromstr(&id, commit.c_str()) != 0) return false;
    const auto database = make<ObjectDatabase>("git", git().repository_odb, repository);
    if (git().odb_exists(database.get(), &id) != 1) return false;
    const CommitObject head = head_commit(repository);
    if (head && has_in_history(repository, *git().commit_id(head.get()), id)) return true;
    for (const std::string& branch : branch_names(repository)) {
        git_oid newest;
        const std::string ref = "refs/heads/" + branch;
        if (git().reference_name_to_id(&newest, repository, ref.c_str()) == 0 &&
            has_in_history(repository, newest, id))
            return true;
    }
    return false;
}

}  // namespace chorus::repo
