#include "repo/git.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t most_shown = 10;

std::string last_words() {
    const git_error* error = git_error_last();
    const bool has_words =
        error != nullptr && error->message != nullptr && error->klass != GIT_ERROR_NONE;
    return has_words ? error->message : "";
}

}  // namespace

// libgit2 sets its search paths while it starts, so they are cleared right after, before it reads
// anything. The global path is not empty: without one, every call would fail on "~/" in a
// configuration. Owner validation is off because chorus-git's caller has checked the owner. The
// extensions are those of repositories with worktrees; libgit2 only has to accept them.
void start_library() {
    const char* extensions[] = {"worktreeconfig", "relativeworktrees"};
    bool works = git_libgit2_init() > 0;
    for (const int level :
         {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG})
        works = works && git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "") == 0;
    works = works &&
            git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, "/proc") == 0 &&
            git_libgit2_opts(GIT_OPT_SET_TEMPLATE_PATH, "") == 0 &&
            git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, std::size(extensions)) == 0 &&
            git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1) == 0 &&
            git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0;
    if (!works) refuse("git: libgit2 does not start: " + last_words());
}

void refuse(const std::string& message, const std::string& hint) {
    throw base::Error(base::ErrorCode::failed, message, hint);
}

base::Error failure(std::string_view what, int result) {
    std::string words = last_words();
    std::string hint = "the git tools cannot read it: use git in bash";
    if (words.empty()) words = "libgit2 error " + std::to_string(result);
    if (words.ends_with("extensions.objectformat")) {
        words = sha256_names;
        hint += "; everything else works";
    } else if (words.ends_with("extension: 'link'")) {
        words = "the index is split";
        hint = "`git update-index --no-split-index` in bash joins it";
    } else if (result == GIT_ELOCKED) {
        hint = "another git is running; if none is, remove the .lock files in .git";
    } else if (words.find("unsupported") == std::string::npos ||
               words.find("extension") == std::string::npos) {
        hint.clear();
    }
    return {base::ErrorCode::failed, std::string(what) + ": " + words, hint};
}

void check(int result, std::string_view what) {
    if (result < 0) throw failure(what, result);
}

std::string text_of(const git_oid& id) {
    return git_oid_tostr_s(&id);
}

std::string setting(git_repository* repository, const std::string& key) {
    const auto configuration =
        make<Configuration>("git: .git/config", git_repository_config_snapshot, repository);
    const char* value = nullptr;
    const int result = git_config_get_string(&value, configuration.get(), key.c_str());
    return result == 0 ? value : "";
}

bool is_on(git_repository* repository, const char* key) {
    const auto configuration =
        make<Configuration>("git: .git/config", git_repository_config_snapshot, repository);
    int value = 0;
    return git_config_get_bool(&value, configuration.get(), key) == 0 && value != 0;
}

Author identity(git_repository* repository, const Author& agent) {
    Author author{setting(repository, "user.name"), setting(repository, "user.email")};
    if (author.name.empty()) author.name = agent.name;
    if (author.email.empty()) author.email = agent.email;
    return author;
}

// With several worktrees each may have its own file.
void read_worktree_configuration(git_repository* repository) {
    if (!is_on(repository, "extensions.worktreeConfig")) return;
    const auto own = make<Configuration>("git: .git/config", git_repository_config, repository);
    const std::string file = git_repository_path(repository) + std::string("config.worktree");
    check(git_config_add_file_ondisk(own.get(), file.c_str(), GIT_CONFIG_LEVEL_APP, repository, 0),
          "git: .git/config.worktree");
}

// Whatever core.worktree says, the work tree is the workspace.
GitRepository open_repository(const std::string& workspace) {
    auto repository =
        find<GitRepository>("git", git_repository_open_ext, (workspace + "/.git").c_str(),
                            GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT, nullptr);
    if (!repository) return nullptr;
    check(git_repository_set_workdir(repository.get(), workspace.c_str(), 0), "git");
    read_worktree_configuration(repository.get());
    const Author author = identity(repository.get(), {"chorus", "chorus@localhost"});
    check(git_repository_set_ident(repository.get(), author.name.c_str(), author.email.c_str()),
          "git: the name for the reflog");
    return repository;
}

void complete_configuration(git_repository* repository, const Author& author) {
    const auto own = make<Configuration>("git: .git/config", git_repository_config, repository);
    const auto complete = [&](const char* key, const std::string& value) {
        if (setting(repository, key).empty())
            check(git_config_set_string(own.get(), key, value.c_str()), "git: .git/config");
    };
    complete("user.name", author.name);
    complete("user.email", author.email);
}

std::string head_ref(git_repository* repository) {
    const auto head = make<Reference>("git", git_reference_lookup, repository, "HEAD");
    const char* target = git_reference_symbolic_target(head.get());
    return target != nullptr ? target : "";
}

void move_head(git_repository* repository, const git_commit* from, const git_oid& to,
               const std::string& reflog_entry) {
    const std::string branch = head_ref(repository);
    make<Reference>("git: HEAD", git_reference_create_matching, repository,
                    branch.empty() ? "HEAD" : branch.c_str(), &to,
                    static_cast<int>(from != nullptr),
                    from != nullptr ? git_commit_id(from) : nullptr, reflog_entry.c_str());
}

CommitObject commit_at(git_repository* repository, const char* ref) {
    git_oid id;
    const int result = git_reference_name_to_id(&id, repository, ref);
    if (result == GIT_ENOTFOUND) return nullptr;
    check(result, "git");
    return make<CommitObject>("git", git_commit_lookup, repository, &id);
}

CommitObject require_head_commit(git_repository* repository) {
    CommitObject commit = commit_at(repository);
    if (!commit) refuse("git: there is no commit yet");
    return commit;
}

std::string short_head(git_repository* repository) {
    return text_of(*git_commit_id(require_head_commit(repository).get())).substr(0, 7);
}

Tree tree_of(const git_commit* commit) {
    return commit != nullptr ? make<Tree>("git", git_commit_tree, commit) : nullptr;
}

Index fresh_index(git_repository* repository) {
    auto index = make<Index>("git: the index", git_repository_index, repository);
    check(git_index_read(index.get(), 1), "git: the index");
    return index;
}

std::string_view content_of(const git_blob* blob) {
    return {static_cast<const char*>(git_blob_rawcontent(blob)),
            static_cast<std::size_t>(git_blob_rawsize(blob))};
}

std::vector<const git_index_entry*> entries_of(git_index* index) {
    std::vector<const git_index_entry*> entries(git_index_entrycount(index));
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = git_index_get_byindex(index, i);
    return entries;
}

std::vector<const git_diff_delta*> deltas_of(const git_diff* diff) {
    std::vector<const git_diff_delta*> deltas(git_diff_num_deltas(diff));
    for (std::size_t i = 0; i < deltas.size(); ++i) deltas[i] = git_diff_get_delta(diff, i);
    return deltas;
}

Texts changed_between(git_repository* repository, git_tree* from, git_tree* to) {
    const auto diff = make<Diff>("git", git_diff_tree_to_tree, repository, from, to, nullptr);
    Texts paths;
    for (const git_diff_delta* delta : deltas_of(diff.get()))
        paths.emplace_back(delta->new_file.path);
    return paths;
}

Object resolve(git_repository* repository, const std::string& ref) {
    Object found;
    if (!ref.empty() && !ref.starts_with('-') && ref.find('\0') == std::string::npos)
        found = find<Object>("git: " + ref, git_revparse_single, repository, ref.c_str());
    if (!found) refuse("git: '" + ref + "' is not a branch, tag or commit");
    return found;
}

Texts branch_names(git_repository* repository) {
    Texts names;
    const auto add = [](const char* ref, void* to) {
        const auto length = std::string_view("refs/heads/").size();
        static_cast<Texts*>(to)->emplace_back(ref + length);
        return 0;
    };
    check(git_reference_foreach_glob(repository, "refs/heads/*", add, &names), "git");
    std::sort(names.begin(), names.end());
    return names;
}

std::string first_ten(const Texts& paths) {
    Texts quoted;
    std::transform(paths.begin(), paths.end(), std::back_inserter(quoted), base::quoted);
    return base::first_few(quoted, most_shown);
}

}  // namespace chorus::repo
