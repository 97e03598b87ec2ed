#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string_view>
#include <utility>

#include "base/fragments.hpp"
#include "base/text.hpp"
#include "repo/served_calls.hpp"
#include "repo/source.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

constexpr int most_nested = 10;

// The only server that a process with a password looks up. Redirects to another one, even to
// another port of the same host, are refused; libgit2 would follow them.
struct OneServer {
    bool is_wanted = false;
    std::string name;
    bool was_left = false;
};
OneServer& one_server() {
    static OneServer server;
    return server;
}

// "https://host:port" of an address.
std::string_view server_in(std::string_view address) {
    return address.substr(0, address.find('/', address.find("://") + 3));
}

bool is_revoked(const git_cert_hostkey& key) {
    const Texts forms = base::base64_forms({key.hostkey, key.hostkey_len});
    std::ifstream known(sys::Environment::of_process().get("HOME") + "/.ssh/known_hosts");
    for (std::string line; std::getline(known, line);)
        if (base::trim(line).starts_with("@revoked") &&
            std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
                return line.find(form) != std::string::npos;
            }))
            return true;
    return false;
}

// Sets up the access to a server, and describes its failures.
class Fetching {
  public:
    explicit Fetching(Source from) : from_(std::move(from)) {}

    void apply_to(git_fetch_options& options) {
        options.proxy_opts.type = GIT_PROXY_AUTO;
        one_server() = {
            .is_wanted = !from_.is_ssh() && has_password(), .name = "", .was_left = false};
        if (one_server().is_wanted) options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
        options.callbacks.credentials = give_credential;
        options.callbacks.payload = this;
        if (from_.is_ssh()) options.callbacks.certificate_check = check_host_key;
    }
    // Throws if `result` is an error.
    void check(int result, const std::string& what) const {
        if (result >= 0) return;
        if (one_server().was_left)
            refuse(what + ": the server redirects to another; the password is not sent there",
                   "use the address of that server");
        if (was_refused_ && !from_.is_ssh())
            refuse(what + (asked_for_password_
                               ? ": the server does not accept the user name and the password"
                               : ": the server asks for a user name and a password"),
                   asked_for_password_ ? ""
                                       : "give them in the address, as in "
                                         "https://USER:TOKEN@HOST/PATH; they are not stored");
        const base::Error error = failure(what, result);
        const char* const instead = "clone it with git, and work there with -C";
        if (error.message().ends_with(sha256_names)) refuse(error.message(), instead);
        // names longer than libgit2 can read
        if (error.message().ends_with("error parsing REF pkt-line"))
            refuse(error.message(),
                   std::string("if the repository has SHA-256 object names, ") + instead);
        refuse(error.message(), hint_for(result));
    }

  private:
    // Called by libgit2 until it has a credential or gets an error. Keys come from ssh-agent.
    static int give_credential(git_credential** given, const char*, const char* user,
                               unsigned allowed, void* payload) {
        Fetching& own = *static_cast<Fetching*>(payload);
        if ((allowed & GIT_CREDENTIAL_USERNAME) != 0U && !std::exchange(own.asked_for_name_, true))
            return git_credential_username_new(
                given, sys::Environment::of_process().get("USER", "git").c_str());
        if ((allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0U && own.has_password() &&
            !std::exchange(own.asked_for_password_, true))
            return git_credential_userpass_plaintext_new(given, own.from_.user.c_str(),
                                                         own.from_.password.c_str());
        if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0U && !std::exchange(own.asked_for_key_, true))
            return git_credential_ssh_key_from_agent(given, user);
        own.was_refused_ = true;
        return GIT_EAUTH;
    }
    // libgit2 has compared the key with known_hosts, but ignores @revoked.
    static int check_host_key(git_cert* key, int, const char*, void* payload) {
        Fetching& own = *static_cast<Fetching*>(payload);
        own.is_revoked_ = is_revoked(*reinterpret_cast<const git_cert_hostkey*>(key));
        if (!own.is_revoked_) return GIT_PASSTHROUGH;
        git_error_set_str(GIT_ERROR_SSH,
                          "the server's key is marked @revoked in ~/.ssh/known_hosts");
        return GIT_ECERTIFICATE;
    }
    // A token may be given as the user alone; over ssh a user is not a credential.
    bool has_password() const {
        return !from_.password.empty() || (!from_.is_ssh() && !from_.user.empty());
    }
    std::string hint_for(int result) const {
        const std::string own = "~/.ssh/config is not read";
        if (!from_.is_ssh() || is_revoked_) return {};
        if (result == GIT_ECERTIFICATE)
            return "the server's key has to be in ~/.ssh/known_hosts: connect to it once with "
                   "ssh; " +
                   own;
        if (!asked_for_key_) return own;
        return "only keys in ssh-agent are used: add one with ssh-add; " + own;
    }

    Source from_;
    bool asked_for_name_ = false;
    bool asked_for_password_ = false;
    bool asked_for_key_ = false;
    bool was_refused_ = false;
    bool is_revoked_ = false;
};

// As for curl; if none is set, the system's certificates are used.
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

GitRepository fetch(const Source& from, const std::string& workspace) {
    Fetching fetching(from);
    auto options = options_by(git_clone_options_init);
    options.local = GIT_CLONE_NO_LOCAL;  // hard links would share damage to the source's objects
    options.checkout_opts.checkout_strategy = GIT_CHECKOUT_SAFE;
    options.checkout_opts.disable_filters = 1;
    fetching.apply_to(options.fetch_opts);
    git_repository* copy = nullptr;
    const int result = git_clone(&copy, from.address.c_str(), workspace.c_str(), &options);
    fetching.check(result, "clone: " + from.address);
    return GitRepository(copy);
}

using Visit = std::function<void(git_repository*, git_index*, const std::string& prefix)>;

// Visits the repository in the directory and those of its submodules that are present.
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

// libgit2 finds a submodule by its path only if its name is the same. Returns null if it has no
// address.
Submodule submodule_at(git_repository* repository, const char* path) {
    struct Search {
        std::string_view path;
        git_submodule* found = nullptr;
    } search{path};
    const auto compare = [](git_submodule* one, const char*, void* payload) {
        Search& wanted = *static_cast<Search*>(payload);
        const bool is_it = git_submodule_url(one) != nullptr &&
                           git_submodule_index_id(one) != nullptr &&
                           git_submodule_path(one) == wanted.path;
        return is_it && git_submodule_dup(&wanted.found, one) == 0 ? 1 : 0;
    };
    check(git_submodule_foreach(repository, compare, &search), "clone: .gitmodules");
    return Submodule(search.found);
}

Source source_of(git_repository* repository, git_submodule* submodule, const Source& whole) {
    git_buf text = GIT_BUF_INIT;
    check(git_submodule_resolve_url(&text, repository, git_submodule_url(submodule)),
          "clone: .gitmodules");
    const std::string address = text.ptr;
    git_buf_dispose(&text);
    Source from{address, {}, {}};
    if (server_in(address) == server_in(whole.address))
        from.user = whole.user, from.password = whole.password;
    return from;
}

// Returns false if the submodule has no address or a local one. libgit2 1.5 looks for a submodule's
// directory relative to the current directory, hence chdir.
bool fetch_submodule(git_repository* repository, const char* path, const std::string& what,
                     const Source& whole) {
    if (chdir(git_repository_workdir(repository)) != 0) throw base::system_error("clone");
    const Submodule submodule = submodule_at(repository, path);
    if (!submodule) return false;
    const Source from = source_of(repository, submodule.get(), whole);
    if (from.is_local()) return false;
    Fetching fetching(from);
    auto options = options_by(git_submodule_update_options_init);
    options.checkout_opts.disable_filters = 1;
    fetching.apply_to(options.fetch_opts);
    fetching.check(git_submodule_update(submodule.get(), 1, &options), what);
    return true;
}

// Removes links that are in the index. git takes a skip-worktree file for unchanged.
void leave_out_of(git_repository* repository, git_index* index, const Texts& paths) {
    for (const std::string& path : paths) {
        const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
        if (entry == nullptr) continue;
        git_index_entry changed = *entry;
        changed.flags |= GIT_INDEX_ENTRY_EXTENDED;
        changed.flags_extended |= GIT_INDEX_ENTRY_SKIP_WORKTREE;
        check(git_index_add(index, &changed), "git: " + path);
        if (unlink((git_repository_workdir(repository) + path).c_str()) != 0)
            throw base::system_error("git: " + path);
    }
    check(git_index_write(index), "git");
}

}  // namespace

// Replaces getaddrinfo(3), which libgit2 calls before it connects.
extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** found) {
    OneServer& server = one_server();
    if (server.is_wanted && host != nullptr && port != nullptr) {
        const std::string name = std::string(host) + ":" + port;
        if (server.name.empty()) server.name = name;
        server.was_left = server.name != name;
        if (server.was_left) return EAI_FAIL;
    }
    static const auto look_up =
        reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
    return look_up(host, port, hints, found);
}

Texts fetch_clone(const std::string& workspace, const std::string& address, const std::string& user,
                  const std::string& password, const Author& author, bool with_submodules) {
    const Source from{address, user, password};
    trust_certificates_of_the_environment();
    const GitRepository copy = fetch(from, workspace);
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
                if (!with_submodules ||
                    !fetch_submodule(repository, entry->path, "clone: submodule " + path, from))
                    special.push_back(path + "/");
            }
        });
    sys::sync_filesystem(git_repository_path(copy.get()));
    return special;
}

void clone_head_into(const std::string& workspace, const std::string& source,
                     const Author& author) {
    constexpr const char* branch = "refs/heads/work";
    const std::string what = "clone: " + source;
    const auto copy = make<GitRepository>(what, git_repository_init, workspace.c_str(), 0U);
    const git_oid id = fetch_head(copy.get(), source, what);
    make<Reference>(what, git_reference_create, copy.get(), branch, &id, 0, "cloned");
    check(git_repository_set_head(copy.get(), branch), what);
    auto options = options_by(git_checkout_options_init);
    options.checkout_strategy = GIT_CHECKOUT_FORCE;
    options.disable_filters = 1;
    check(git_checkout_head(copy.get(), &options), what);
    complete_configuration(copy.get(), author);
    sys::sync_filesystem(git_repository_path(copy.get()));
}

void leave_out(const std::string& workspace, const Texts& paths) {
    for_each_repository(
        workspace, "",
        [&](git_repository* repository, git_index* index, const std::string& prefix) {
            Texts own;
            for (const std::string& path : paths)
                if (path.starts_with(prefix)) own.push_back(path.substr(prefix.size()));
            leave_out_of(repository, index, own);
        });
}

}  // namespace chorus::repo
