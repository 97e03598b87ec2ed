#include "repo/repository.hpp"

#include <iterator>

#include "base/time.hpp"
#include "repo/directory.hpp"
#include "repo/mutation.hpp"
#include "repo/opened.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

constexpr const char* first_branch = "main";
constexpr const char* nobody = "chorus";
constexpr const char* nowhere = "chorus@localhost";

std::string configuration_file(const std::string& workspace) {
    return git_directory(workspace) + "/config";
}

// What git keeps in repositories with worktrees, and what libgit2 needs no more for than to know
// it.
void know_extensions() {
    const char* names[] = {"worktreeconfig", "relativeworktrees"};
    check(git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names, std::size(names)), "git");
}

void check_object_names(const sys::GitPlace& place) {
    const auto format = sys::git_values(sys::read_git_file(place.common_directory + "/config"),
                                        "extensions", "objectformat");
    if (!format.empty() && format.back() != "sha1")
        throw base::Error(base::ErrorCode::failed, "git: the repository has SHA-256 object names",
                          "the git tools cannot read it: use git in bash; everything else works");
}

// The name for the reflog.
void set_ident(git_repository* repository) {
    const Author author = identity(repository, {nobody, nowhere});
    check(git_repository_set_ident(repository, author.name.c_str(), author.email.c_str()),
          "git: user.name");
}

void initialise_directory(const std::string& workspace) {
    git_repository_init_options options;
    check(git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION), "init");
    options.flags = GIT_REPOSITORY_INIT_MKPATH;
    options.initial_head = first_branch;
    make<GitRepository>("init", git_repository_init_ext, workspace.c_str(), &options);
}

// A repository that is there keeps the configuration it has.
void prepare_directory(const std::string& workspace, const Author& author) {
    sys::make_directory(git_directory(workspace), 0777);
    const Mutation mutation(workspace);
    if (sys::exists(configuration_file(workspace)) && open_repository(workspace)) return;
    initialise_directory(workspace);
    complete_configuration(workspace, author);
}

// Throws where .git is not the workspace's own.
sys::GitPlace place_of(const std::string& workspace) {
    sys::GitPlace place = sys::find_git(workspace);
    if (!place.problem.empty()) throw base::Error(base::ErrorCode::failed, "git: " + place.problem);
    return place;
}

}  // namespace

// Whatever core.worktree says, the work tree is the workspace.
GitRepository open_repository(const std::string& workspace) {
    const sys::GitPlace place = place_of(workspace);
    if (!place.is_there()) return nullptr;
    check_object_names(place);
    know_extensions();
    git_repository* opened = nullptr;
    const int result = git_repository_open_ext(
        &opened, place.git_directory.c_str(),
        GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT, nullptr);
    if (result == GIT_ENOTFOUND) return nullptr;
    check(result, "git");
    GitRepository repository(opened);
    check(git_repository_set_workdir(opened, workspace.c_str(), 0), "git");
    set_ident(opened);
    return repository;
}

void complete_configuration(const std::string& workspace, const Author& author) {
    const auto file = make<Configuration>("git: .git/config", git_config_open_ondisk,
                                          configuration_file(workspace).c_str());
    const auto present = make<Configuration>("git: .git/config", git_config_snapshot, file.get());
    const auto complete = [&](const char* key, const std::string& value) {
        const char* found = nullptr;
        if (git_config_get_string(&found, present.get(), key) == 0) return;
        check(git_config_set_string(file.get(), key, value.c_str()), "git: .git/config");
    };
    complete("user.name", author.name);
    complete("user.email", author.email);
}

std::string setting(git_repository* repository, const std::string& key) {
    const auto configuration =
        make<Configuration>("git: .git/config", git_repository_config_snapshot, repository);
    const char* value = nullptr;
    const int result = git_config_get_string(&value, configuration.get(), key.c_str());
    return result == 0 ? value : "";
}

Author identity(git_repository* repository, const Author& agent) {
    Author author{setting(repository, "user.name"), setting(repository, "user.email")};
    if (author.name.empty()) author.name = agent.name;
    if (author.email.empty()) author.email = agent.email;
    return author;
}

std::string head_ref(git_repository* repository) {
    const auto head = make<Reference>("git", git_reference_lookup, repository, "HEAD");
    const char* target = git_reference_symbolic_target(head.get());
    return target != nullptr ? target : "";
}

CommitObject head_commit(git_repository* repository) {
    git_oid id;
    const int result = git_reference_name_to_id(&id, repository, "HEAD");
    if (result == GIT_ENOTFOUND) return nullptr;
    check(result, "git");
    return find_commit(repository, id);
}

CommitObject find_commit(git_repository* repository, const git_oid& id) {
    return make<CommitObject>("git", git_commit_lookup, repository, &id);
}

Tree tree_of(const git_commit* commit) {
    return commit != nullptr ? make<Tree>("git", git_commit_tree, commit) : nullptr;
}

Index fresh_index(git_repository* repository) {
    auto index = make<Index>("git: the index", git_repository_index, repository);
    check(git_index_read(index.get(), 1), "git: the index");
    return index;
}

bool is_left_out(git_index* index, const char* path) {
    const git_index_entry* entry = git_index_get_bypath(index, path, 0);
    return entry != nullptr && (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

Object resolve(git_repository* repository, const std::string& ref) {
    git_object* found = nullptr;
    const bool is_a_ref =
        !ref.empty() && !ref.starts_with('-') && ref.find('\0') == std::string::npos;
    const int result =
        is_a_ref ? git_revparse_single(&found, repository, ref.c_str()) : GIT_EINVALIDSPEC;
    if (result == GIT_ENOTFOUND || result == GIT_EINVALIDSPEC)
        throw base::Error(base::ErrorCode::failed,
                          "git: '" + ref + "' is no branch, tag or commit");
    check(result, "git: " + ref);
    return Object(found);
}

Repository::Repository(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository::~Repository() = default;

std::optional<Repository> Repository::open(const std::string& workspace, unsigned) {
    if (!place_of(workspace).is_there()) return std::nullopt;
    const std::string resolved = sys::real_path(workspace);
    GitRepository opened = open_repository(resolved);
    if (!opened) return std::nullopt;
    return Repository(std::make_unique<Handle>(Handle{resolved, std::move(opened)}));
}

Repository Repository::initialise(const std::string& workspace, const Author& author, unsigned) {
    sys::make_directory(workspace);
    const std::string resolved = sys::real_path(workspace);
    const sys::GitPlace place = place_of(resolved);
    if (place.git_directory.empty() || place.git_directory == resolved + "/.git")
        prepare_directory(resolved, author);
    auto repository = open(resolved);
    if (!repository)
        throw base::Error(base::ErrorCode::failed, "init: " + resolved + " is no repository");
    repository->commit_first(author);
    sys::sync_filesystem(git_directory(resolved));
    return std::move(*repository);
}

std::vector<Commit> Repository::log(int count) const {
    std::vector<Commit> commits;
    if (!head_commit(handle_->get())) return commits;
    const auto walk = make<Walk>("log", git_revwalk_new, handle_->get());
    check(git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME), "log");
    check(git_revwalk_push_head(walk.get()), "log");
    git_oid id;
    while (static_cast<int>(commits.size()) < count) {
        const int result = git_revwalk_next(&id, walk.get());
        if (result == GIT_ITEROVER) break;
        check(result, "log");
        const CommitObject commit = find_commit(handle_->get(), id);
        const git_signature* author = git_commit_author(commit.get());
        const char* summary = git_commit_summary(commit.get());
        commits.push_back({text_of(id), std::string(author->name) + " <" + author->email + ">",
                           summary != nullptr ? summary : "",
                           base::iso8601(git_commit_time(commit.get()) * 1000)});
    }
    return commits;
}

}  // namespace chorus::repo
