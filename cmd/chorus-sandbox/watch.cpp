#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/limits.hpp"
#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

// Children may end faster than they are reaped.
constexpr int most_reaped = 1000;

// proc(5): the parent is the second field after the name, which may contain any character.
pid_t parent_of(const char* pid) {
    std::array<char, 64> path{};
    std::array<char, 512> text{};
    std::snprintf(path.data(), path.size(), "/proc/%s/stat", pid);
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t count = read(file, text.data(), text.size() - 1);
    close(file);
    const char* name_end = count > 0 ? std::strrchr(text.data(), ')') : nullptr;
    int parent = 0;
    if (name_end == nullptr || std::sscanf(name_end, ") %*c %d", &parent) != 1) return 0;
    return parent;
}

// Kills a child and its process group: in one step, so that no process of it can fork meanwhile.
// Such a group holds descendants alone, because this process was started in a session of its own
// (sys/spawn.cpp). `last` is the group that was killed last.
void kill_with_group(pid_t child, pid_t& last) {
    const pid_t group = getpgid(child);
    if (group > 1 && group != getpgrp() && group != last) {
        kill(-group, SIGKILL);
        last = group;
    }
    kill(child, SIGKILL);
}

// Returns false where the kernel has no list of children.
bool kill_listed_children() {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/children", getpid());
    FILE* const children = std::fopen(path.data(), "re");
    if (children == nullptr) return false;
    pid_t last = 0;
    for (int pid = 0; std::fscanf(children, "%d", &pid) == 1;) kill_with_group(pid, last);
    std::fclose(children);
    return true;
}

void kill_children() {
    if (kill_listed_children()) return;
    DIR* const processes = opendir("/proc");
    pid_t last = 0;
    while (const dirent* entry = processes != nullptr ? readdir(processes) : nullptr)
        if (const int pid = std::atoi(entry->d_name);
            pid > 0 && parent_of(entry->d_name) == getpid())
            kill_with_group(pid, last);
    if (processes != nullptr) closedir(processes);
}

// This process is a subreaper: the children of a killed process become its children.
void kill_descendants() {
    while (true) {
        kill_children();
        if (waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
        for (int i = 0; i < most_reaped && waitpid(-1, nullptr, WNOHANG) > 0; ++i) continue;
    }
}

class Watch {
  public:
    Watch(int owner, pid_t command, Fence* fence)
        : owner_(owner), command_(command), fence_(fence) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigaddset(&signals, SIGTERM);
        signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals_ < 0) abandon();
        reap();  // the command may have ended before signals were blocked
    }

    [[noreturn]] void go_on() {
        while (!ended_) serve(-1);
        long left_ms = base::limits::pipe_grace_ms;
        const long until_ms = now_ms() + left_ms;
        for (; !alone_ && left_ms > 0; left_ms = until_ms - now_ms())
            serve(static_cast<int>(left_ms));
        if (!alone_) kill_descendants();
        end_alike();
    }

  private:
    static long now_ms() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
    }

    void serve(int patience_ms) {
        std::array<pollfd, 3> wanted{{{owner_, POLLIN, 0},
                                      {signals_, POLLIN, 0},
                                      {fence_ != nullptr ? fence_->fd() : -1, POLLIN, 0}}};
        poll(wanted.data(), wanted.size(), may_reap_more_ ? 0 : patience_ms);
        signalfd_siginfo info{};
        while (read(signals_, &info, sizeof info) == sizeof info)
            if (info.ssi_signo == SIGTERM) abandon();
        if (wanted[0].revents != 0) abandon();
        if (wanted[2].revents != 0) fence_->serve((wanted[2].revents & POLLIN) != 0);
        reap();
    }

    void reap() {
        int status = 0;
        pid_t pid = 0;
        for (int i = 0; i < most_reaped && (pid = waitpid(-1, &status, WNOHANG)) > 0; ++i) {
            if (pid != command_) continue;
            ended_ = true;
            status_ = status;
        }
        alone_ = pid < 0;
        may_reap_more_ = pid > 0;
    }

    [[noreturn]] static void abandon() {
        kill_descendants();
        kill(getpid(), SIGKILL);
        _exit(EXIT_FAILURE);
    }

    [[noreturn]] void end_alike() const {
        if (WIFEXITED(status_)) _exit(WEXITSTATUS(status_));
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        sigset_t all;
        sigfillset(&all);
        ::signal(WTERMSIG(status_), SIG_DFL);
        kill(getpid(), WTERMSIG(status_));
        sigprocmask(SIG_UNBLOCK, &all, nullptr);
        _exit(EXIT_FAILURE);
    }

    int owner_;
    pid_t command_;
    Fence* fence_;
    int signals_ = -1;
    bool ended_ = false;
    bool alone_ = false;
    bool may_reap_more_ = false;
    int status_ = 0;
};

}  // namespace

void watch(const Options& options, Fence* fence) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl", errno);
    const pid_t self = getpid();
    // vfork copies no page tables, and the child changes nothing shared before it executes the
    // command. With a fence it does, and waits for this process.
    const pid_t command = fence != nullptr ? fork() : vfork();
    if (command < 0) fail("fork", errno);
    if (command == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(EXIT_FAILURE);
        if (fence != nullptr) fence->enter();
        become(options.program, options.command);
    }
    // Set by both processes, so that the group exists once signals are blocked here.
    setpgid(command, command);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    if (fence != nullptr) fence->watch();
    Watch(options.owner, command, fence).go_on();
}

}  // namespace chorus::sandbox
