#include "fault/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fault {
namespace {

constexpr int exec_failed = 127;
constexpr int unknown_status = 255;  // of one that ended after it was sealed

// False at the end.
bool read_into(int& fd, std::string& text) {
    std::array<char, 65536> buffer;
    while (fd >= 0) {
        const ssize_t count = read(fd, buffer.data(), buffer.size());
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return true;
        close(fd);
        fd = -1;
    }
    return false;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

int shell_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Pipe {
    Pipe() {
        if (pipe2(ends, O_CLOEXEC) != 0) give_up(std::string("pipe: ") + std::strerror(errno));
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    int ends[2] = {-1, -1};
};

}  // namespace

std::int64_t now_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

void give_up(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(2);
}

std::string beside_this_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::string read_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::string& path, const std::string& text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    if (!stream.flush()) give_up(path + ": cannot be written");
}

Command::Command(const Words& words, const Variables& variables, const std::string& stdin_path) {
    Words arguments = words;
    Words environment{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C.UTF-8"};
    for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
    const auto argv = pointers(arguments);
    const auto envp = pointers(environment);
    const Pipe out;
    const Pipe err;
    const int in = open(stdin_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0) give_up(stdin_path + ": " + std::strerror(errno));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) give_up(std::string("fork: ") + std::strerror(errno));
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(exec_failed);
        setpgid(0, 0);
        dup2(in, STDIN_FILENO);
        dup2(out.ends[1], STDOUT_FILENO);
        dup2(err.ends[1], STDERR_FILENO);
        execvpe(argv[0], argv.data(), envp.data());
        _exit(exec_failed);
    }
    close(in);
    close(out.ends[1]);
    close(err.ends[1]);
    out_ = out.ends[0];
    err_ = err.ends[0];
}

Command::Command(Command&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      status_(other.status_),
      sealed_(other.sealed_),
      out_text_(std::move(other.out_text_)),
      err_text_(std::move(other.err_text_)) {}

Command::~Command() {
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) close(out_);
    if (err_ >= 0) close(err_);
}

void Command::kill(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
}

bool Command::read_some() {
    std::string forgotten;
    const bool more_out = read_into(out_, sealed_ ? forgotten : out_text_);
    const bool more_err = read_into(err_, err_text_);
    return more_out || more_err;
}

void Command::seal() {
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        status_ = shell_status(status);
    }
    read_some();
    sealed_ = true;
}

int Command::finish(int timeout_ms) {
    const std::int64_t until_us = now_us() + timeout_ms * 1000LL;
    while (read_some()) {
        if (now_us() > until_us) {
            kill(SIGKILL);
            give_up("a process did not end within " + std::to_string(timeout_ms) +
                    " ms: " + err_text_);
        }
        std::array<pollfd, 2> wanted{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
        poll(wanted.data(), wanted.size(), 100);
    }
    int status = 0;
    if (pid_ > 0) {
        waitpid(pid_, &status, 0);
        pid_ = -1;
        status_ = sealed_ ? unknown_status : shell_status(status);
    }
    return status_;
}

Finished run(const Words& words, const Variables& variables, const std::string& stdin_path) {
    Command command(words, variables, stdin_path);
    const int status = command.finish();
    if (status == exec_failed) give_up(words.front() + ": cannot be started");
    return {status, command.out(), command.err()};
}

}  // namespace fault
