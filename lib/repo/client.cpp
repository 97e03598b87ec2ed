// The repository as its callers have it: every call is one of chorus-git's (server.cpp).
#include <unistd.h>

#include "base/error.hpp"
#include "repo/git_process.hpp"
#include "repo/mutation.hpp"
#include "repo/owner.hpp"
#include "repo/repository.hpp"
#include "repo/source.hpp"
#include "sys/beneath.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/person.hpp"

namespace chorus::repo {

struct Repository::Handle {
    std::string workspace;  // links resolved
    unsigned umask;

    Message call(std::string verb, std::initializer_list<std::string> words = {}) const {
        return call(std::move(verb), Message(words));
    }
    Message call(std::string verb, Message request) const {
        request.insert(request.begin(), {std::move(verb), workspace});
        return git_process_of(workspace, umask)->call(request);
    }
};

namespace {

Message with_files(Message request, const std::vector<std::string>& files) {
    request.insert(request.end(), files.begin(), files.end());
    return request;
}

// Gives up the plan, and with it the repository, unless it was finished.
class Plan {
  public:
    Plan(std::shared_ptr<GitProcess> process, std::string number)
        : process_(std::move(process)), number_(std::move(number)) {}
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { process_->try_call({"forget", number_}); }
    void finish() const { process_->call({"finish", number_}); }

  private:
    std::shared_ptr<GitProcess> process_;
    std::string number_;
};

// Gone again where it was not there before and is not kept.
class NewDirectory {
  public:
    explicit NewDirectory(const std::string& path) : is_kept_(sys::exists(path)) {
        sys::make_directory(path);
        path_ = sys::real_path(path);
    }
    NewDirectory(const NewDirectory&) = delete;
    NewDirectory& operator=(const NewDirectory&) = delete;
    ~NewDirectory() {
        if (!is_kept_) sys::try_remove_tree(path_);
    }
    const std::string& path() const { return path_; }
    void keep() { is_kept_ = true; }

  private:
    bool is_kept_;
    std::string path_;
};

// With the network nothing of this machine is read but what that takes, and for ssh the known
// hosts.
sys::Confinement confinement_of(const Source& from, const std::string& workspace, bool network) {
    sys::Confinement confinement{.writable = {workspace},
                                 .readable = from.readable,
                                 .network = network,
                                 .unix_sockets = from.transport == Transport::ssh};
    std::vector<std::string>& readable = confinement.readable;
    const auto environment = sys::Environment::of_process();
    if (network)
        for (const std::string& path : files_for_the_network()) readable.push_back(path);
    if (confinement.unix_sockets) {
        readable.push_back(environment.get("HOME") + "/.ssh/known_hosts");
        readable.push_back(environment.get("SSH_AUTH_SOCK"));
    }
    for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"})
        if (network) readable.push_back(environment.get(name));
    return confinement;
}

std::vector<std::string> environment_for(const sys::Confinement& confinement) {
    std::vector<std::string> lines;
    const auto environment = sys::Environment::of_process();
    const auto pass = [&](std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (const auto value = environment.find(name)) lines.push_back(name + ("=" + *value));
    };
    pass({"CHORUS_NOW_MS"});
    if (confinement.network)
        pass({"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY",
              "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"});
    if (!confinement.unix_sockets) return lines;
    pass({"HOME", "SSH_AUTH_SOCK"});
    lines.push_back("USER=" + sys::find_person(geteuid()).name);
    return lines;
}

}  // namespace

void clear_broken_mutation(const std::string& workspace) {
    if (!sys::exists(sys::find_git(workspace).git_directory + "/" + marker_name)) return;
    const std::string resolved = sys::real_path(workspace);
    git_process_of(resolved, sys::private_umask)->call({"clear", resolved});
}

std::vector<std::string> clone(const std::string& source, const std::string& workspace,
                               const Author& author, bool with_submodules) {
    const Source from = find_source(source);
    if (!from.readable.empty())
        check_owner("clone: " + from.origin, from.readable.front(),
                    sys::find_git(from.readable.front()));
    NewDirectory directory(workspace);
    const sys::Confinement confinement = confinement_of(
        from, directory.path(), with_submodules || from.transport != Transport::local);
    GitProcess process(confinement, environment_for(confinement));
    Message left_out = process.call({"clone", directory.path(), from.address, author.name,
                                     author.email, with_submodules ? "submodules" : ""},
                                    "clone: " + from.origin + ": the server was silent");
    const sys::Root root(directory.path());
    std::erase_if(left_out, [&](const std::string& path) {
        return !path.ends_with('/') && root.open_to_read(path).outcome != sys::OpenOutcome::outside;
    });
    process.call(with_files({"leave-out", directory.path()}, left_out));
    directory.keep();
    return left_out;
}

Repository::Repository(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository::~Repository() = default;

std::optional<Repository> Repository::open(const std::string& workspace, unsigned umask) {
    if (!sys::exists(sys::join_path(workspace, ".git"))) return std::nullopt;
    auto handle = std::make_unique<Handle>(Handle{sys::real_path(workspace), umask});
    if (handle->call("open").empty()) return std::nullopt;
    return Repository(std::move(handle));
}

Repository Repository::initialise(const std::string& workspace, const Author& author,
                                  unsigned umask) {
    sys::make_directory(workspace);
    auto handle = std::make_unique<Handle>(Handle{sys::real_path(workspace), umask});
    handle->call("init", {author.name, author.email});
    return Repository(std::move(handle));
}

std::string Repository::status() const {
    return handle_->call("status").at(0);
}

std::string Repository::diff(const std::string& ref1, const std::string& ref2) const {
    return handle_->call("diff", {ref1, ref2}).at(0);
}

std::vector<Commit> Repository::log(int count) const {
    const Message answer = handle_->call("log", {std::to_string(count)});
    std::vector<Commit> commits;
    for (std::size_t i = 0; i + 3 < answer.size(); i += 4)
        commits.push_back({answer[i], answer[i + 1], answer[i + 2], answer[i + 3]});
    return commits;
}

std::string Repository::commit(const std::string& message, const std::vector<std::string>& files,
                               const Author& author) {
    return handle_->call("commit", with_files({message, author.name, author.email}, files)).at(0);
}

PlannedCommit Repository::plan_commit(const std::string& message,
                                      const std::vector<std::string>& files, const Author& author) {
    auto process = git_process_of(handle_->workspace, handle_->umask);
    const Message answer = process->call(
        with_files({"plan", handle_->workspace, message, author.name, author.email}, files));
    const auto plan = std::make_shared<const Plan>(std::move(process), answer.at(0));
    return {answer.at(1), [plan] { plan->finish(); }, answer.at(2)};
}

bool Repository::contains(const std::string& commit) const {
    return !handle_->call("contains", {commit}).empty();
}

std::string Repository::branches() const {
    return handle_->call("branches").at(0);
}

void Repository::create_branch(const std::string& name) {
    handle_->call("create-branch", {name});
}

void Repository::delete_branch(const std::string& name) {
    handle_->call("delete-branch", {name});
}

void Repository::checkout(const std::string& ref, bool create) {
    handle_->call(create ? "checkout-new" : "checkout", {ref});
}

void Repository::require_commit(const std::string& commit) const {
    handle_->call("require-commit", {commit});
}

Aside Repository::reset(const std::string& commit, const std::string& branch,
                        const Author& author) {
    const Message answer = handle_->call("reset", {commit, branch, author.name, author.email});
    return {answer.at(0), answer.at(1)};
}

}  // namespace chorus::repo
