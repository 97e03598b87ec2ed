#include "starter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hostile {
namespace {

constexpr int longest_ms = 60'000;  // on a machine that has other things to do
constexpr std::size_t most_bytes = 32U << 10;

struct Report {
    int status = -1;
    bool hung = false;
    long memory_kib = 0;
};

// A count, then texts with a NUL behind each.
std::string packed(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment, const std::string& directory) {
    std::string out = directory + '\0' + std::to_string(arguments.size()) + '\0';
    for (const std::string& text : arguments) out += text + '\0';
    for (const std::string& text : environment) out += text + '\0';
    return out;
}

std::vector<char*> unpacked(std::string& message) {
    std::vector<char*> out;
    for (std::size_t at = 0; at < message.size(); at = message.find('\0', at) + 1)
        out.push_back(message.data() + at);
    return out;
}

pid_t spawn(std::string& message) {
    const std::vector<char*> texts = unpacked(message);
    const std::string directory = texts[0];
    const auto first_variable = texts.begin() + 2 + std::atoi(texts[1]);
    std::vector<char*> arguments(texts.begin() + 2, first_variable);
    std::vector<char*> environment(first_variable, texts.end());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int writing = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (directory + "/out").c_str(), writing, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, (directory + "/err").c_str(), writing, 0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t ignored_here;
    sigemptyset(&ignored_here);
    sigaddset(&ignored_here, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &ignored_here);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = -1;
    const int error = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(),
                                  environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -1;
}

Report wait_for(pid_t child) {
    Report report;
    if (child < 0) return report;
    const int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    pollfd ended{process, POLLIN, 0};
    report.hung = poll(&ended, 1, longest_ms) == 0;
    if (report.hung) kill(child, SIGKILL);
    rusage usage{};
    wait4(child, &report.status, 0, &usage);
    close(process);
    report.memory_kib = usage.ru_maxrss;
    return report;
}

[[noreturn]] void serve(int socket) {
    std::array<char, most_bytes> bytes;
    for (ssize_t size; (size = recv(socket, bytes.data(), bytes.size(), 0)) > 0;) {
        std::string message(bytes.data(), static_cast<std::size_t>(size));
        const Report report = wait_for(spawn(message));
        send(socket, &report, sizeof report, MSG_NOSIGNAL);
    }
    _exit(0);
}

}  // namespace

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Starter::Starter() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::runtime_error("no socket pair");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ == 0) {
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    socket_ = ends[0];
}

Starter::~Starter() {
    // a later one holds a copy of this end, so that closing it would not be seen
    shutdown(socket_, SHUT_RDWR);
    close(socket_);
    waitpid(process_, nullptr, 0);
}

Finished Starter::run(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment,
                      const std::string& directory) const {
    const std::string message = packed(arguments, environment, directory);
    Report report;
    if (message.size() > most_bytes || send(socket_, message.data(), message.size(), 0) < 0 ||
        recv(socket_, &report, sizeof report, 0) != sizeof report)
        throw std::runtime_error("the starter is gone");
    return {report.status, report.hung, report.memory_kib, content_of(directory + "/out"),
            content_of(directory + "/err")};
}

}  // namespace hostile
