#include "repo/repository.hpp"

#include "base/time.hpp"
#include "repo/directory.hpp"
#include "repo/mutation.hpp"
#include "repo/opened.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

constexpr const char* first_branch = "main";
constexpr const char* nobody = "chorus";
constexpr const char* nowhere = "chorus@localhost";

std::string configuration_file(const std::string& workspace) {
    return git_directory(workspace) + "/config";
}

// core.worktree and commondir can point anywhere: what libgit2 made of them is what counts.
void check_that_it_stays(git_repository* repository, const std::string& workspace) {
    const char* work_tree = git().repository_workdir(repository);
    const std::string own = git_directory(workspace) + "/";
    const bool stays = work_tree != nullptr && workspace + "/" == work_tree &&
                       own == git().repository_path(repository) &&
                       own == git().repository_commondir(repository);
    if (!stays)
        throw base::Error(base::ErrorCode::failed, "git: .git/config leads out of the workspace",
                          "look for core.worktree and core.bare in .git/config");
}

Configuration read_configuration(const std::string& workspace) {
    const auto file = make<Configuration>("git: .git/config", git().config_open_ondisk,
                                          configuration_file(workspace).c_str());
    return make<Configuration>("git: .git/config", git().config_snapshot, file.get());
}

std::string value_of(const Configuration& configuration, const char* key, const char* fallback) {
    const char* value = nullptr;
    const bool is_set =
        git().config_get_string(&value, configuration.get(), key) == 0 && *value != '\0';
    return is_set ? value : fallback;
}

// From here on the repository has no configuration at all. What git keeps there either leads out
// (core.excludesFile, core.attributesFile, url.insteadOf) or converts contents (core.autocrlf); the
// name for the reflog is taken first.
void set_configuration_aside(git_repository* repository, const std::string& workspace) {
    const Configuration own = read_configuration(workspace);
    check(git().repository_set_ident(repository, value_of(own, "user.name", nobody).c_str(),
                                     value_of(own, "user.email", nowhere).c_str()),
          "git: user.name");
    const auto empty = make<Configuration>("git", git().config_new);
    check(git().repository_set_config(repository, empty.get()), "git");
}

void initialise_directory(const std::string& workspace) {
    git_repository_init_options options;
    check(git().repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION),
          "init");
    options.flags = GIT_REPOSITORY_INIT_MKPATH;
    options.initial_head = first_branch;
    make<GitRepository>("init", git().repository_init_ext, workspace.c_str(), &options);
}

void prepare_directory(const std::string& workspace, const Author& author) {
    sys::make_directory(git_directory(workspace));
    const Mutation mutation(workspace);
    if (!open_repository(workspace)) initialise_directory(workspace);
    complete_configuration(workspace, author);
}

}  // namespace

GitRepository open_repository(const std::string& workspace) {
    git_repository* opened = nullptr;
    const int result = git().repository_open_ext(
        &opened, git_directory(workspace).c_str(),
        GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT, nullptr);
    if (result == GIT_ENOTFOUND && !is_of_another_owner(result)) return nullptr;
    check(result, "git");
    GitRepository repository(opened);
    check_that_it_stays(repository.get(), workspace);
    set_configuration_aside(repository.get(), workspace);
    return repository;
}

void complete_configuration(const std::string& workspace, const Author& author) {
    const Configuration present = read_configuration(workspace);
    const auto file = make<Configuration>("git: .git/config", git().config_open_ondisk,
                                          configuration_file(workspace).c_str());
    const auto complete = [&](const char* key, const std::string& value) {
        const char* found = nullptr;
        if (git().config_get_string(&found, present.get(), key) == 0) return;
        check(git().config_set_string(file.get(), key, value.c_str()), "git: .git/config");
    };
    complete("user.name", author.name);
    complete("user.email", author.email);
}

std::string head_ref(git_repository* repository) {
    const auto head = make<Reference>("git", git().reference_lookup, repository, "HEAD");
    const char* target = git().reference_symbolic_target(head.get());
    return target != nullptr ? target : "";
}

CommitObject head_commit(git_repository* repository) {
    git_oid id;
    const int result = git().reference_name_to_id(&id, repository, "HEAD");
    if (result == GIT_ENOTFOUND) return nullptr;
    check(result, "git");
    return find_commit(repository, id);
}

CommitObject find_commit(git_repository* repository, const git_oid& id) {
    return make<CommitObject>("git", git().commit_lookup, repository, &id);
}

Tree tree_of(const git_commit* commit) {
    return commit != nullptr ? make<Tree>("git", git().commit_tree, commit) : nullptr;
}

Index fresh_index(git_repository* repository) {
    auto index = make<Index>("git: the index", git().repository_index, repository);
    check(git().index_read(index.get(), 1), "git: the index");
    return index;
}

bool is_left_out(git_index* index, const char* path) {
    const git_index_entry* entry = git().index_get_bypath(index, path, 0);
    return entry != nullptr && (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

Object resolve(git_repository* repository, const std::string& ref) {
    git_object* found = nullptr;
    const bool is_a_ref =
        !ref.empty() && !ref.starts_with('-') && ref.find('\0') == std::string::npos;
    const int result =
        is_a_ref ? git().revparse_single(&found, repository, ref.c_str()) : GIT_EINVALIDSPEC;
    if (result == GIT_ENOTFOUND || result == GIT_EINVALIDSPEC)
        throw base::Error(base::ErrorCode::failed,
                          "git: '" + ref + "' is no branch, tag or commit");
    check(result, "git: " + ref);
    return Object(found);
}

Repository::Repository(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository::~Repository() = default;

std::optional<Repository> Repository::open(const std::string& workspace) {
    if (!has_git_directory(workspace)) return std::nullopt;
    const std::string resolved = sys::real_path(workspace);
    GitRepository opened = open_repository(resolved);
    if (!opened) return std::nullopt;
    return Repository(std::make_unique<Handle>(Handle{resolved, std::move(opened)}));
}

Repository Repository::initialise(const std::string& workspace, const Author& author) {
    sys::make_directory(workspace);
    const std::string resolved = sys::real_path(workspace);
    if (sys::exists(git_directory(resolved)) && !has_git_directory(resolved))
        throw base::Error(base::ErrorCode::failed,
                          "init: .git is no directory of this workspace's own",
                          "move .git away and try again");
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
    const auto walk = make<Walk>("log", git().revwalk_new, handle_->get());
    check(git().revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME), "log");
    check(git().revwalk_push_head(walk.get()), "log");
    git_oid id;
    while (static_cast<int>(commits.size()) < count) {
        const int result = git().revwalk_next(&id, walk.get());
        if (result == GIT_ITEROVER) break;
        check(result, "log");
        const CommitObject commit = find_commit(handle_->get(), id);
        const git_signature* author = git().commit_author(commit.get());
        const char* summary = git().commit_summary(commit.get());
        commits.push_back({text_of(id), std::string(author->name) + " <" + author->email + ">",
                           summary != nullptr ? summary : "",
                           base::iso8601(git().commit_time(commit.get()) * 1000)});
    }
    return commits;
}

}  // namespace chorus::repo
