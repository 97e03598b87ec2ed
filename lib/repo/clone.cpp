#include <unistd.h>

#include "repo/cloning.hpp"
#include "repo/directory.hpp"
#include "repo/opened.hpp"
#include "repo/source.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

git_clone_options options_for_cloning() {
    git_clone_options options;
    check(git().clone_options_init(&options, GIT_CLONE_OPTIONS_VERSION), "clone");
    options.local = GIT_CLONE_NO_LOCAL;  // hard links to the source's objects would share its fate
    options.checkout_opts.checkout_strategy = GIT_CHECKOUT_SAFE;
    options.checkout_opts.disable_filters = 1;
    options.fetch_opts.proxy_opts.type = GIT_PROXY_AUTO;
    return options;
}

std::vector<std::string> links_in(git_repository* repository) {
    const Index index = fresh_index(repository);
    std::vector<std::string> links;
    for (std::size_t i = 0; i < git().index_entrycount(index.get()); ++i) {
        const git_index_entry* entry = git().index_get_byindex(index.get(), i);
        if (entry->mode == GIT_FILEMODE_LINK) links.emplace_back(entry->path);
    }
    return links;
}

void name_first_branch(git_repository* repository) {
    if (head_commit(repository)) return;
    make<Reference>("clone", git().reference_symbolic_create, repository, "HEAD", "refs/heads/main",
                    1, nullptr);
}

void fetch(const std::string& address, const std::string& origin, const std::string& workspace) {
    const git_clone_options options = options_for_cloning();
    git_repository* copy = nullptr;
    const int result = git().clone(&copy, address.c_str(), workspace.c_str(), &options);
    const GitRepository owned(copy);
    check(result, "clone: " + origin);
}

void set_origin(const std::string& workspace, const std::string& url) {
    const auto file = make<Configuration>("clone", git().config_open_ondisk,
                                          (git_directory(workspace) + "/config").c_str());
    check(git().config_set_string(file.get(), "remote.origin.url", url.c_str()), "clone");
}

}  // namespace

std::vector<std::string> fetch_clone(const std::string& address, const std::string& workspace,
                                     const Author& author) {
    const std::string origin = without_credentials(address);
    fetch(address, origin, workspace);
    complete_configuration(workspace, author);
    if (origin != address) set_origin(workspace, origin);
    const GitRepository repository = open_repository(workspace);
    if (!repository)
        throw base::Error(base::ErrorCode::failed,
                          "clone: " + origin + ": the copy is no repository");
    name_first_branch(repository.get());
    sys::sync_filesystem(git_directory(workspace));
    return links_in(repository.get());
}

// git's own word for it, skip-worktree: neither status nor a commit takes them as deleted.
void leave_out(const std::string& workspace, const std::vector<std::string>& paths) {
    const GitRepository repository = open_repository(workspace);
    const Index index = fresh_index(repository.get());
    for (const std::string& path : paths) {
        const git_index_entry* entry = git().index_get_bypath(index.get(), path.c_str(), 0);
        if (entry == nullptr) continue;
        git_index_entry changed = *entry;
        changed.flags |= GIT_INDEX_ENTRY_EXTENDED;
        changed.flags_extended |= GIT_INDEX_ENTRY_SKIP_WORKTREE;
        check(git().index_add(index.get(), &changed), "clone");
        if (unlink((workspace + "/" + path).c_str()) != 0)
            throw base::system_error("clone: " + path);
    }
    check(git().index_write(index.get()), "clone");
}

}  // namespace chorus::repo
