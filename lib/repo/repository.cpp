#include "repo/repository.hpp"

#include "base/time.hpp"
#include "repo/calls.hpp"
#include "repo/mutation.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

// A repository that is there keeps the configuration it has.
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

// Whatever core.worktree says, the work tree is the workspace.
GitRepository open_repository(const std::string& workspace) {
    auto repository =
        find<GitRepository>("git", git_repository_open_ext, (workspace + "/.git").c_str(),
                            GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT, nullptr);
    if (!repository) return nullptr;
    check(git_repository_set_workdir(repository.get(), workspace.c_str(), 0), "git");
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

// A linked worktree or submodule has a file instead of the directory.
void initialise(const std::string& workspace, const Author& author) {
    const std::string git = workspace + "/.git";
    if (!sys::exists(git) || sys::is_directory(git)) prepare_directory(workspace, author);
    const GitRepository repository = open_repository(workspace);
    if (!repository) refuse("init: " + workspace + " is no repository");
    commit_first(repository.get(), author);
    sys::sync_filesystem(git_repository_path(repository.get()));
}

std::vector<Commit> log(git_repository* repository, int count) {
    std::vector<Commit> commits;
    if (!commit_at(repository)) return commits;
    const auto walk = make<Walk>("log", git_revwalk_new, repository);
    check(git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME), "log");
    check(git_revwalk_push_head(walk.get()), "log");
    git_oid id;
    while (static_cast<int>(commits.size()) < count) {
        const int result = git_revwalk_next(&id, walk.get());
        if (result == GIT_ITEROVER) break;
        check(result, "log");
        const auto commit = make<CommitObject>("log", git_commit_lookup, repository, &id);
        const git_signature* author = git_commit_author(commit.get());
        const char* summary = git_commit_summary(commit.get());
        commits.push_back({text_of(id), std::string(author->name) + " <" + author->email + ">",
                           summary != nullptr ? summary : "",
                           base::iso8601(git_commit_time(commit.get()) * 1000)});
    }
    return commits;
}

}  // namespace chorus::repo
