#include <time.h>

#include "base/text.hpp"
#include "repo/directory.hpp"
#include "repo/mutation.hpp"
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

git_oid written_tree(git_index* index) {
    git_oid id;
    check(git().index_write_tree(&id, index), "commit");
    return id;
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

}  // namespace

std::string make_commit(git_repository* repository, git_index* index, const git_oid& tree,
                        const std::string& message, const Author& author,
                        const std::function<void(const std::string&)>& prepared) {
    const CommitObject parent = head_commit(repository);
    const git_commit* parents[] = {parent.get()};
    const auto contents = make<Tree>("commit", git().tree_lookup, repository, &tree);
    const Signature signature = signature_of(author);
    git_oid id;
    check(git().commit_create(&id, repository, nullptr, signature.get(), signature.get(), nullptr,
                              message.c_str(), contents.get(), parent ? 1 : 0, parents),
          "commit");
    if (prepared) prepared(text_of(id));
    write_index(index);
    check(git().repository_set_ident(repository, author.name.c_str(), author.email.c_str()),
          "commit");
    move_head(repository, id, parent.get(), message);
    return text_of(id);
}

void Repository::commit_first(const Author& author) {
    if (head_commit(handle_->get())) return;
    inspect_work_tree(handle_->workspace);
    const Mutation mutation(handle_->workspace);
    const auto index = fresh_index(handle_->get());
    stage(handle_->get(), index.get(), Selection(handle_->workspace, {}));
    make_commit(handle_->get(), index.get(), written_tree(index.get()),
                checked_message(first_message), author, {});
}

std::string Repository::commit(const std::string& message, const std::vector<std::string>& files,
                               const Author& author,
                               const std::function<void(const std::string&)>& prepared) {
    const std::string text = checked_message(message);
    const Selection selection(handle_->workspace, files);
    inspect_work_tree(handle_->workspace);
    const Mutation mutation(handle_->workspace);
    const auto index = fresh_index(handle_->get());
    stage(handle_->get(), index.get(), selection);
    const CommitObject parent = head_commit(handle_->get());
    const Tree base = tree_of(parent.get());
    const git_oid tree = selection.is_everything()
                             ? written_tree(index.get())
                             : selected_tree(handle_->get(), index.get(), base.get(), selection);
    const bool is_same = parent ? git().oid_cmp(&tree, git().commit_tree_id(parent.get())) == 0
                                : is_empty(index.get());
    if (is_same) throw base::Error(base::ErrorCode::failed, "commit: nothing to commit");
    return make_commit(handle_->get(), index.get(), tree, text, author, prepared);
}

bool Repository::contains(const std::string& commit) const {
    git_oid id;
    const CommitObject head = head_commit(handle_->get());
    if (!head || commit.size() != GIT_OID_HEXSZ || git().oid_fromstr(&id, commit.c_str()) != 0)
        return false;
    const git_oid* newest = git().commit_id(head.get());
    if (git().oid_cmp(&id, newest) == 0) return true;
    const auto database = make<ObjectDatabase>("git", git().repository_odb, handle_->get());
    return git().odb_exists(database.get(), &id) == 1 &&
           git().graph_descendant_of(handle_->get(), newest, &id) == 1;
}

}  // namespace chorus::repo
