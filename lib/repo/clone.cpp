#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "repo/directory.hpp"
#include "repo/opened.hpp"
#include "repo/silence.hpp"
#include "sys/beneath.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

[[noreturn]] void refuse(const std::string& source, std::string_view why, std::string hint = {}) {
    throw base::Error(base::ErrorCode::failed, "clone: " + source + ": " + std::string(why),
                      std::move(hint));
}

constexpr std::array<std::string_view, 3> schemes{"https://", "http://", "file://"};

bool is_url(std::string_view source) {
    return std::any_of(schemes.begin(), schemes.end(),
                       [&](std::string_view scheme) { return source.starts_with(scheme); });
}

// "host:path" is ssh for git; a path with a slash before its colon is a path.
bool is_remote(const std::string& source) {
    return source.find("://") != std::string::npos || source.find(':') < source.find('/');
}

// A name and password in an address would stay in .git/config, where every command reads them.
std::string without_credentials(const std::string& url) {
    const auto scheme = url.find("://");
    if (scheme == std::string::npos) return url;
    const auto authority = scheme + 3;
    const auto at = url.rfind('@', url.find('/', authority));
    return at == std::string::npos || at < authority
               ? url
               : url.substr(0, authority) + url.substr(at + 1);
}

// What libgit2 is given: a URL as it is, a path in full, so that origin means the same from
// anywhere.
std::string address_of(const std::string& source) {
    if (is_url(source)) return source;
    if (sys::is_directory(source)) return sys::real_path(source);
    const std::string shown = without_credentials(source);
    if (is_remote(source))
        refuse(shown, "only https, http and file addresses and paths are cloned");
    refuse(shown, "there is no such directory");
}

int heard_of_transfer(const git_indexer_progress*, void* silence) {
    static_cast<Silence*>(silence)->heard();
    return 0;
}

int heard_of_server(const char*, int, void* silence) {
    static_cast<Silence*>(silence)->heard();
    return 0;
}

git_clone_options options_for_cloning(Silence& silence) {
    git_clone_options options;
    check(git().clone_options_init(&options, GIT_CLONE_OPTIONS_VERSION), "clone");
    options.local = GIT_CLONE_NO_LOCAL;  // hard links to the source's objects would share its fate
    options.checkout_opts.checkout_strategy = GIT_CHECKOUT_SAFE;
    options.checkout_opts.disable_filters = 1;
    options.fetch_opts.proxy_opts.type = GIT_PROXY_AUTO;
    options.fetch_opts.callbacks.transfer_progress = heard_of_transfer;
    options.fetch_opts.callbacks.sideband_progress = heard_of_server;
    options.fetch_opts.callbacks.payload = &silence;
    return options;
}

// git's own word for "the work tree lacks this on purpose": neither status nor a commit takes it as
// deleted.
void leave_out(git_index* index, const git_index_entry& entry, const std::string& file) {
    git_index_entry changed = entry;
    changed.flags |= GIT_INDEX_ENTRY_EXTENDED;
    changed.flags_extended |= GIT_INDEX_ENTRY_SKIP_WORKTREE;
    check(git().index_add(index, &changed), "clone");
    if (unlink(file.c_str()) != 0) throw base::system_error("clone: " + file);
}

void leave_out_links_that_lead_out(git_repository* repository, const std::string& workspace) {
    const sys::Root root(workspace);
    const Index index = fresh_index(repository);
    for (std::size_t i = 0; i < git().index_entrycount(index.get()); ++i) {
        const git_index_entry* entry = git().index_get_byindex(index.get(), i);
        if (entry->mode != GIT_FILEMODE_LINK) continue;
        if (root.open_to_read(entry->path).outcome == sys::OpenOutcome::outside)
            leave_out(index.get(), *entry, workspace + "/" + entry->path);
    }
    check(git().index_write(index.get()), "clone");
}

void name_first_branch(git_repository* repository) {
    if (head_commit(repository)) return;
    make<Reference>("clone", git().reference_symbolic_create, repository, "HEAD", "refs/heads/main",
                    1, nullptr);
}

void fetch(const std::string& address, const std::string& origin, const std::string& workspace) {
    Silence silence(base::limits::stall_ms);
    const git_clone_options options = options_for_cloning(silence);
    git_repository* copy = nullptr;
    const int result = git().clone(&copy, address.c_str(), workspace.c_str(), &options);
    const GitRepository owned(copy);
    if (result != 0 && silence.was_too_long())
        refuse(origin,
               "the server was silent for " + std::to_string(base::limits::stall_ms / 1000) + " s");
    check(result, "clone: " + origin);
}

void set_origin(const std::string& workspace, const std::string& url) {
    const auto file = make<Configuration>("clone", git().config_open_ondisk,
                                          (git_directory(workspace) + "/config").c_str());
    check(git().config_set_string(file.get(), "remote.origin.url", url.c_str()), "clone");
}

}  // namespace

Repository Repository::clone(const std::string& source, const std::string& workspace,
                             const Author& author) {
    const std::string address = address_of(source);
    const std::string origin = without_credentials(address);
    fetch(address, origin, workspace);
    const std::string resolved = sys::real_path(workspace);
    complete_configuration(resolved, author);
    if (origin != address) set_origin(resolved, origin);
    auto repository = open(resolved);
    if (!repository) refuse(origin, "the copy is no repository");
    name_first_branch(repository->handle_->get());
    leave_out_links_that_lead_out(repository->handle_->get(), resolved);
    sys::sync_filesystem(git_directory(resolved));
    return std::move(*repository);
}

}  // namespace chorus::repo
