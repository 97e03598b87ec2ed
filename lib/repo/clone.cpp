#include <unistd.h>

#include <functional>
#include <utility>

#include "repo/calls.hpp"
#include "repo/source.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

constexpr int most_nested = 10;

// How a server is talked to, and what is said where that fails.
class Fetching {
  public:
    explicit Fetching(Transport transport) : transport_(transport) {}

    void apply_to(git_fetch_options& options) {
        options.proxy_opts.type = GIT_PROXY_AUTO;
        asked_for_name_ = asked_for_key_ = false;
        if (transport_ != Transport::ssh) return;
        options.callbacks.credentials = give_credential;
        options.callbacks.payload = this;
    }
    // Throws where `result` says so.
    void check(int result, const std::string& what) const {
        if (result < 0) refuse(failure(what, result).message(), hint_for(result));
    }

  private:
    // Called by libgit2 until it has enough or gets an error. The keys are those of the agent of
    // ssh.
    static int give_credential(git_credential** given, const char*, const char* user,
                               unsigned allowed, void* payload) {
        Fetching& own = *static_cast<Fetching*>(payload);
        if ((allowed & GIT_CREDENTIAL_USERNAME) != 0U && !std::exchange(own.asked_for_name_, true))
            return git_credential_username_new(
                given, sys::Environment::of_process().get("USER", "git").c_str());
        if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0U && !std::exchange(own.asked_for_key_, true))
            return git_credential_ssh_key_from_agent(given, user);
        return GIT_EAUTH;
    }
    std::string hint_for(int result) const {
        const std::string own = "~/.ssh/config is not read";
        if (transport_ != Transport::ssh) return {};
        if (result == GIT_ECERTIFICATE)
            return "the server's key has to be in ~/.ssh/known_hosts: connect to it once with "
                   "ssh; " +
                   own;
        if (!asked_for_key_) return own;
        return "only keys in the agent of ssh are used: add one with ssh-add; " + own;
    }

    Transport transport_;
    bool asked_for_name_ = false;
    bool asked_for_key_ = false;
};

// As curl has them; none is said: the system's.
void trust_certificates_of_the_environment() {
    const auto environment = sys::Environment::of_process();
    const auto file = environment.find("CURL_CA_BUNDLE");
    const std::string bundle = file ? *file : environment.get("SSL_CERT_FILE");
    const std::string directory = environment.get("SSL_CERT_DIR");
    if (bundle.empty() && directory.empty()) return;
    check(
        git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, bundle.empty() ? nullptr : bundle.c_str(),
                         directory.empty() ? nullptr : directory.c_str()),
        "clone: the certificates to trust");
}

GitRepository fetch(const std::string& address, const std::string& workspace, Fetching& fetching) {
    auto options = options_by(git_clone_options_init);
    options.local = GIT_CLONE_NO_LOCAL;  // hard links to the source's objects would share its fate
    options.checkout_opts.checkout_strategy = GIT_CHECKOUT_SAFE;
    options.checkout_opts.disable_filters = 1;
    fetching.apply_to(options.fetch_opts);
    git_repository* copy = nullptr;
    const int result = git_clone(&copy, address.c_str(), workspace.c_str(), &options);
    fetching.check(result, "clone: " + without_credentials(address));
    return GitRepository(copy);
}

using Visit = std::function<void(git_repository*, git_index*, const std::string& prefix)>;

// The repository in the directory and those of its submodules that are there.
void for_each_repository(const std::string& directory, const std::string& prefix,
                         const Visit& visit, int depth = 0) {
    const auto repository = find<GitRepository>("clone: " + prefix, git_repository_open_ext,
                                                (directory + "/" + prefix).c_str(),
                                                GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
    if (!repository || depth > most_nested) return;
    const Index index = fresh_index(repository.get());
    visit(repository.get(), index.get(), prefix);
    for (const git_index_entry* entry : entries_of(index.get()))
        if (entry->mode == GIT_FILEMODE_COMMIT)
            for_each_repository(directory, prefix + entry->path + "/", visit, depth + 1);
}

// libgit2 1.5 looks for a submodule's directory where this process is.
void fetch_submodule(git_repository* repository, const char* path, const std::string& what,
                     Fetching& fetching) {
    if (chdir(git_repository_workdir(repository)) != 0) throw base::system_error("clone");
    const auto submodule = make<Submodule>(what, git_submodule_lookup, repository, path);
    auto options = options_by(git_submodule_update_options_init);
    options.checkout_opts.disable_filters = 1;
    fetching.apply_to(options.fetch_opts);
    fetching.check(git_submodule_update(submodule.get(), 1, &options), what);
}

// git's own word for it, skip-worktree: neither status nor a commit takes them as deleted.
void leave_out_of(git_index* index, const std::string& prefix, const std::string& directory,
                  const Texts& paths) {
    for (const std::string& path : paths) {
        if (!path.starts_with(prefix)) continue;
        const git_index_entry* entry = git_index_get_bypath(index, path.c_str() + prefix.size(), 0);
        if (entry == nullptr) continue;
        git_index_entry changed = *entry;
        changed.flags |= GIT_INDEX_ENTRY_EXTENDED;
        changed.flags_extended |= GIT_INDEX_ENTRY_SKIP_WORKTREE;
        check(git_index_add(index, &changed), "clone");
        if (unlink((directory + "/" + path).c_str()) != 0)
            throw base::system_error("clone: " + path);
    }
    check(git_index_write(index), "clone");
}

}  // namespace

Texts fetch_clone(const std::string& workspace, const std::string& address, const Author& author,
                  bool with_submodules) {
    Fetching fetching(transport_of(address));
    trust_certificates_of_the_environment();
    const GitRepository copy = fetch(address, workspace, fetching);
    complete_configuration(copy.get(), author);
    if (!commit_at(copy.get()))
        make<Reference>("clone", git_reference_symbolic_create, copy.get(), "HEAD",
                        "refs/heads/main", 1, nullptr);
    Texts special;
    for_each_repository(
        workspace, "",
        [&](git_repository* repository, git_index* index, const std::string& prefix) {
            for (const git_index_entry* entry : entries_of(index)) {
                const std::string path = prefix + entry->path;
                if (entry->mode == GIT_FILEMODE_LINK) special.push_back(path);
                if (entry->mode != GIT_FILEMODE_COMMIT) continue;
                if (with_submodules)
                    fetch_submodule(repository, entry->path, "clone: submodule " + path, fetching);
                else
                    special.push_back(path + "/");
            }
        });
    const std::string origin = without_credentials(address);
    if (origin != address) check(git_remote_set_url(copy.get(), "origin", origin.c_str()), "clone");
    sys::sync_filesystem(git_repository_path(copy.get()));
    return special;
}

void leave_out(const std::string& workspace, const Texts& paths) {
    for_each_repository(workspace, "",
                        [&](git_repository*, git_index* index, const std::string& prefix) {
                            leave_out_of(index, prefix, workspace, paths);
                        });
}

}  // namespace chorus::repo
