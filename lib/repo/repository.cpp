#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "repo/git_process.hpp"
#include "repo/mutation.hpp"
#include "repo/repository.hpp"
#include "repo/source.hpp"
#include "sys/beneath.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"
#include "sys/git_place.hpp"
#include "sys/person.hpp"
#include "sys/scaffold.hpp"

namespace chorus::repo {
namespace {

constexpr const char* files_for_the_network[] = {
    "/etc/ssl",           "/etc/pki",       "/etc/ca-certificates",
    "/etc/resolv.conf",   "/etc/host.conf", "/etc/gai.conf",
    "/etc/nsswitch.conf", "/etc/hosts",     "/etc/services"};

// The files of this machine that a clone reads, and the variables it inherits. Over the network
// these are only what the connection needs and, for ssh, the known hosts and the agent's socket.
std::pair<Message, Message> outfit_for(const Source& from, bool network) {
    Message readable = from.readable;
    Message passed;
    const auto environment = sys::Environment::of_process();
    const auto pass = [&](const char* name) {
        if (environment.has(name)) passed.push_back(name + ("=" + environment.get(name)));
    };
    if (network) {
        for (const char* name :
             {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY"})
            pass(name);
        for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
            pass(name);
            readable.push_back(environment.get(name));
        }
        for (const char* path : files_for_the_network) readable.emplace_back(path);
    }
    if (from.is_ssh()) {
        pass("HOME");
        pass("SSH_AUTH_SOCK");
        passed.push_back("USER=" + sys::find_person(geteuid()).name);
        readable.push_back(environment.get("HOME") + "/.ssh/known_hosts");
        readable.push_back(environment.get("SSH_AUTH_SOCK"));
    }
    return {readable, passed};
}

}  // namespace

void clear_broken_mutation(const std::string& workspace) {
    const std::string directory = sys::find_git(workspace).git_directory;
    if (!directory.empty() && sys::exists(directory + "/" + marker_name))
        git_process_of(workspace, sys::private_umask)->call({"clear", directory});
}

std::vector<std::string> clone(const std::string& source, const std::string& workspace,
                               const Author& author, bool with_submodules) {
    const Source from = find_source(source);
    if (from.is_local())
        sys::check_owner("clone: " + from.address, from.readable.front(),
                         git_of_source(from.readable.front()));
    const bool is_new = !sys::exists(workspace);
    sys::make_directory(workspace);
    const std::string directory = sys::real_path(workspace);
    std::optional<sys::Scaffold> unfinished;
    if (is_new) unfinished.emplace(directory);
    const bool network = with_submodules || !from.is_local();
    const auto [readable, environment] = outfit_for(from, network);
    GitProcess process({.writable = {directory},
                        .readable = readable,
                        .network = network,
                        .unix_sockets = from.is_ssh()},
                       environment);
    Message left_out =
        process.call({"clone", directory, from.address, from.user, from.password, author.name,
                      author.email, with_submodules ? "submodules" : ""},
                     "clone: " + from.address + ": the server was silent");
    const sys::Root root(directory);
    std::erase_if(left_out, [&](const std::string& path) {
        return !path.ends_with('/') && root.open_to_read(path).outcome != sys::OpenOutcome::outside;
    });
    Message call{"leave-out", directory};
    call.insert(call.end(), left_out.begin(), left_out.end());
    process.call(call);
    if (unfinished) unfinished->keep();
    return left_out;
}

void clone_head(const std::string& source, const std::string& workspace, const Author& author) {
    sys::check_owner("clone: " + source, source, git_of_source(source));
    sys::make_directory(workspace);
    GitProcess process({.writable = {workspace}, .readable = find_source(source).readable}, {});
    process.call({"clone-head", workspace, source, author.name, author.email});
}

std::optional<Repository> Repository::open(const std::string& workspace, unsigned umask) {
    if (!sys::exists(sys::join_path(workspace, ".git"))) return std::nullopt;
    Repository repository(workspace, umask);
    if (repository.call({"open"}).empty()) return std::nullopt;
    return repository;
}

Repository Repository::initialise(const std::string& workspace, const Author& author,
                                  unsigned umask) {
    Repository repository(workspace, umask);
    repository.call({"init", author.name, author.email});
    return repository;
}

bool Repository::take(const std::string& source, const std::string& branch) const {
    GitProcess process(
        {.writable = workspace_places(workspace_), .readable = {source}, .umask = umask_}, {});
    return !process.call({"take", workspace_, source, branch}).empty();
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
                                      const std::vector<std::string>& files, const Author& author,
                                      const std::vector<std::string>& hidden) {
    auto process = git_process_of(workspace_, umask_);
    const Message answer = process->call(request(
        {"plan", message, base::join(hidden, between_globs), author.name, author.email}, files));
    // drops the plan, and the repository with it, once nobody can finish it
    const std::shared_ptr<GitProcess> plan(
        process.get(), [process](GitProcess* given) { given->try_call({"forget"}); });
    return {answer.at(0), [plan] { plan->call({"finish"}); }, answer.at(1)};
}

namespace {

constexpr int longest_chain = 5;
constexpr std::size_t ref_bytes = 4096;
constexpr std::size_t packed_refs_bytes = 16U << 20;

bool is_commit_id(std::string_view text) {
    return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

// Lines are "<id> <name>", "^<id>" (what the tag above points to) and comments.
std::string packed_commit(int directory, const std::string& name) {
    const std::string packed = sys::read_git_file(directory, "packed-refs", packed_refs_bytes);
    for (const std::string_view line : base::split_lines(packed)) {
        const std::string_view id = line.substr(0, line.find(' '));
        if (is_commit_id(id) && line.substr(id.size()) == " " + name) return std::string(id);
    }
    return {};
}

}  // namespace

std::vector<std::string> changed_paths(std::string_view status) {
    std::vector<std::string> paths;
    for (const std::string_view line : base::split_lines(status))
        if (line.size() > 3 && line[2] == ' ') paths.emplace_back(line.substr(3));
    return paths;
}

Head head_of(const std::string& workspace) {
    constexpr std::string_view symbolic = "ref:";
    const sys::GitPlace place = sys::find_git(workspace);
    Head head;
    std::string name = "HEAD";
    for (int i = 0; i <= longest_chain && place.is_there(); ++i) {
        const int directory = (i == 0 ? place.git : place.common)->get();
        const std::string text = sys::read_git_file(directory, name, ref_bytes);
        const std::string_view line = base::trim(text);
        if (!line.starts_with(symbolic)) {
            if (line.empty()) head.commit = packed_commit(directory, name);
            if (is_commit_id(line)) head.commit = line;
            break;
        }
        name = base::trim(line.substr(symbolic.size()));
        if (i == 0) head.ref = name;
    }
    return head;
}

}  // namespace chorus::repo
