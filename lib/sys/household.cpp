#include "sys/household.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "sys/clock.hpp"
#include "sys/spawn.hpp"

namespace chorus::sys {
namespace {

void await_end(pid_t pid) {
    const Fd process = open_pidfd(pid);
    pollfd wanted{process.get(), POLLIN, 0};
    if (process) poll(&wanted, 1, kill_patience_ms);
}

void reap(pid_t pid) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
}

}  // namespace

pid_t Household::admit(const ProcessCommand& command, const Streams& streams) {
    const std::string program = program_path(command.arguments.at(0));
    const std::lock_guard guard(mutex_);
    if (commands_.empty()) open();
    pid_t pid = 0;
    const int problem = spawn(command, streams, program, pid);
    if (problem == 0) commands_.push_back(pid);
    if (commands_.empty()) close();
    if (problem != 0) throw start_error(command, problem);
    return pid;
}

void Household::dismiss(pid_t main) {
    kill(-main, SIGKILL);
    await_end(main);
    const std::lock_guard guard(mutex_);
    std::erase(commands_, main);
    const std::int64_t until_ms = monotonic_ms() + kill_patience_ms;
    while (sweep(main) && monotonic_ms() < until_ms) continue;
    reap(main);
    if (commands_.empty()) close();
}

Identity Household::settle(const ProcessCommand& command, const Streams& streams) {
    const std::string program = program_path(command.arguments.at(0));
    const std::lock_guard guard(mutex_);
    pid_t pid = 0;
    if (const int problem = spawn(command, streams, program, pid))
        throw start_error(command, problem);
    settled_.push_back(identity_of(pid));
    return settled_.back();
}

void Household::open() {
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    // If SIGCHLD was inherited as ignored, the kernel would reap children before they are examined.
    struct sigaction current {};
    if (sigaction(SIGCHLD, nullptr, &current) == 0 && current.sa_handler == SIG_IGN)
        ::signal(SIGCHLD, SIG_DFL);
    std::erase_if(settled_, [](const Identity& identity) { return !is_alive(identity); });
    older_.clear();
    for (const pid_t pid : children_of(getpid())) older_.push_back(identity_of(pid));
}

void Household::close() {
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
}

bool Household::sweep(pid_t main) {
    bool found = false;
    for (const pid_t pid : children_of(getpid())) {
        const auto status = status_of(pid);
        if (pid == main || !status || !is_left_by(main, pid, *status)) continue;
        found = true;
        kill(pid, SIGKILL);
        if (status->group == pid) kill(-pid, SIGKILL);
        await_end(pid);
        reap(pid);
    }
    return found;
}

bool Household::is_left_by(pid_t main, pid_t pid, const Status& status) const {
    if (status.session == main || status.group == main) return true;
    // It left its command's session, so while other commands run it may belong to one of them.
    if (!commands_.empty()) return false;
    const Identity identity{pid, status.start};
    const auto has = [&](const std::vector<Identity>& all) {
        return std::find(all.begin(), all.end(), identity) != all.end();
    };
    return !has(older_) && !has(settled_);
}

Household& household() {
    static Household household;
    return household;
}

}  // namespace chorus::sys
