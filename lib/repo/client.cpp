// The repository as its callers have it: every call is one of chorus-git's (server.cpp).
#include <unistd.h>

#include "base/error.hpp"
#include "repo/git_process.hpp"
#include "repo/mutation.hpp"
#include "repo/repository.hpp"
#include "repo/source.hpp"
#include "sys/beneath.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/person.hpp"
#include "sys/safe_directory.hpp"

namespace chorus::repo {
namespace {

constexpr const char* files_for_the_network[] = {
    "/etc/ssl",           "/etc/pki",       "/etc/ca-certificates",
    "/etc/resolv.conf",   "/etc/host.conf", "/etc/gai.conf",
    "/etc/nsswitch.conf", "/etc/hosts",     "/etc/services"};

// Gives up the plan, and with it the repository, unless it was finished.
class Plan {
  public:
    explicit Plan(std::shared_ptr<GitProcess> process) : process_(std::move(process)) {}
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { process_->try_call({"forget"}); }
    void finish() const { process_->call({"finish"}); }

  private:
    std::shared_ptr<GitProcess> process_;
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

// What a clone reads of this machine and has of this process's environment.
struct Outfit {
    sys::Confinement confinement;
    std::vector<std::string> environment;
};

// With the network nothing is read but what that takes, and for ssh the known hosts.
Outfit outfit_for(const Source& from, const std::string& workspace, bool network) {
    Outfit outfit{{.writable = {workspace},
                   .readable = from.readable,
                   .network = network,
                   .unix_sockets = from.transport == Transport::ssh},
                  {}};
    const auto environment = sys::Environment::of_process();
    const auto pass = [&](std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (const auto value = environment.find(name))
                outfit.environment.push_back(name + ("=" + *value));
    };
    std::vector<std::string>& readable = outfit.confinement.readable;
    pass({"CHORUS_NOW_MS"});
    if (network) {
        pass({"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY",
              "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"});
        for (const char* path : files_for_the_network) readable.emplace_back(path);
        for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"})
            readable.push_back(environment.get(name));
    }
    if (from.transport == Transport::ssh) {
        pass({"HOME", "SSH_AUTH_SOCK"});
        outfit.environment.push_back("USER=" + sys::find_person(geteuid()).name);
        readable.push_back(environment.get("HOME") + "/.ssh/known_hosts");
        readable.push_back(environment.get("SSH_AUTH_SOCK"));
    }
    return outfit;
}

}  // namespace

void clear_broken_mutation(const std::string& workspace) {
    const std::string directory = sys::find_git(workspace).git_directory;
    if (sys::exists(directory + "/" + marker_name))
        git_process_of(sys::real_path(workspace), sys::private_umask)->call({"clear", directory});
}

std::vector<std::string> clone(const std::string& source, const std::string& workspace,
                               const Author& author, bool with_submodules) {
    const Source from = find_source(source);
    if (from.transport == Transport::local)
        sys::check_owner("clone: " + from.origin, from.readable.front(),
                         sys::find_git(from.readable.front()));
    NewDirectory directory(workspace);
    const Outfit outfit =
        outfit_for(from, directory.path(), with_submodules || from.transport != Transport::local);
    GitProcess process(outfit.confinement, outfit.environment);
    Message left_out = process.call({"clone", directory.path(), from.address, author.name,
                                     author.email, with_submodules ? "submodules" : ""},
                                    "clone: " + from.origin + ": the server was silent");
    const sys::Root root(directory.path());
    std::erase_if(left_out, [&](const std::string& path) {
        return !path.ends_with('/') && root.open_to_read(path).outcome != sys::OpenOutcome::outside;
    });
    Message call{"leave-out", directory.path()};
    call.insert(call.end(), left_out.begin(), left_out.end());
    process.call(call);
    directory.keep();
    return left_out;
}

std::optional<Repository> Repository::open(const std::string& workspace, unsigned umask) {
    if (!sys::exists(sys::join_path(workspace, ".git"))) return std::nullopt;
    Repository repository(sys::real_path(workspace), umask);
    if (repository.call({"open"}).empty()) return std::nullopt;
    return repository;
}

Repository Repository::initialise(const std::string& workspace, const Author& author,
                                  unsigned umask) {
    sys::make_directory(workspace);
    Repository repository(sys::real_path(workspace), umask);
    repository.call({"init", author.name, author.email});
    return repository;
}

Message Repository::request(Message words, const Message& files) const {
    words.insert(words.begin() + 1, workspace_);
    words.insert(words.end(), files.begin(), files.end());
    return words;
}

Message Repository::call(const Message& words, const Message& files) const {
    return git_process_of(workspace_, umask_)->call(request(words, files));
}

std::vector<Commit> Repository::log(int count) const {
    const Message answer = call({"log", std::to_string(count)});
    std::vector<Commit> commits;
    for (std::size_t i = 0; i + 3 < answer.size(); i += 4)
        commits.push_back({answer[i], answer[i + 1], answer[i + 2], answer[i + 3]});
    return commits;
}

PlannedCommit Repository::plan_commit(const std::string& message,
                                      const std::vector<std::string>& files, const Author& author) {
    auto process = git_process_of(workspace_, umask_);
    const Message answer =
        process->call(request({"plan", message, author.name, author.email}, files));
    const auto plan = std::make_shared<const Plan>(std::move(process));
    return {answer.at(0), [plan] { plan->finish(); }, answer.at(1)};
}

Aside Repository::reset(const std::string& commit, const std::string& branch,
                        const Author& author) {
    const Message answer = call({"reset", commit, branch, author.name, author.email});
    return {answer.at(0), answer.at(1)};
}

}  // namespace chorus::repo
