#include "fault/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace fault {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

void put_on(int target, const std::string& path) {
    if (path.empty()) {
        close(target);
        return;
    }
    if (path == "|") {
        int ends[2];
        if (pipe(ends) != 0 || dup2(ends[1], target) < 0) _exit(126);
        close(ends[0]);
        close(ends[1]);
        return;
    }
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, target) < 0) _exit(126);
    close(fd);
}

pid_t start(const Launch& launch, bool traced) {
    const std::vector<char*> arguments = pointers(launch.arguments);
    const std::vector<char*> environment = pointers(launch.environment);
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("fork: no more processes");
    if (pid > 0) return pid;
    // its own group, so that nothing sent to a terminal's group reaches half of a point
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) _exit(126);
    close(nothing);
    put_on(STDOUT_FILENO, launch.out_path);
    put_on(STDERR_FILENO, launch.err_path);
    if (traced) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
}

class Alarm {
  public:
    explicit Alarm(long seconds) {
        struct sigaction action {};
        action.sa_handler = [](int) {};  // without SA_RESTART: it ends a wait
        sigaction(SIGALRM, &action, nullptr);
        alarm(static_cast<unsigned>(seconds));
    }
    ~Alarm() { alarm(0); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
};

struct Waited {
    int status = 0;
    struct rusage usage {};
};

// False where the alarm came first; the process is dead then too.
bool wait_for(pid_t pid, Waited& waited) {
    if (wait4(pid, &waited.status, 0, &waited.usage) == pid) return true;
    kill(pid, SIGKILL);
    while (wait4(pid, &waited.status, 0, &waited.usage) < 0 && errno == EINTR) {
    }
    return false;
}

// From the stop after execve to the end, one system call after the other.
bool step(pid_t pid, const Launch& launch, Waited& waited, Ended& ended) {
    constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    constexpr int call_stop = SIGTRAP | 0x80;
    if (!wait_for(pid, waited)) return false;
    if (!WIFSTOPPED(waited.status)) return true;
    ptrace(PTRACE_SETOPTIONS, pid, nullptr, options);
    bool enters = false;
    long signal_number = 0;
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, pid, nullptr, signal_number) != 0 && errno != ESRCH)
            throw std::runtime_error("ptrace: not allowed here");
        if (!wait_for(pid, waited)) return false;
        if (!WIFSTOPPED(waited.status)) return true;
        const bool is_call = WSTOPSIG(waited.status) == call_stop;
        signal_number = is_call ? 0 : WSTOPSIG(waited.status);
        if (!is_call) continue;
        enters = !enters;
        if (!enters || ++ended.calls != launch.kill_at) continue;
        ended.killed = true;
        // at its entry: the call itself is not made any more
        kill(pid, SIGKILL);
        return wait_for(pid, waited);
    }
}

bool reap_children() {
    for (int tries = 0; tries < 5'000; ++tries) {
        pid_t pid;
        while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (pid < 0) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
}

}  // namespace

Ended launch(const Launch& launch) {
    Ended ended;
    const bool traced = launch.counts || launch.kill_at > 0;
    const Alarm alarm(launch.timeout_s);
    const pid_t pid = start(launch, traced);
    Waited waited;
    ended.hung = !(traced ? step(pid, launch, waited, ended) : wait_for(pid, waited));
    ended.status =
        WIFSIGNALED(waited.status) ? 128 + WTERMSIG(waited.status) : WEXITSTATUS(waited.status);
    ended.peak_kib = waited.usage.ru_maxrss;
    if (!launch.is_left_alone) ended.left_children = !reap_children();
    return ended;
}

std::string output_of(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe: no more descriptors");
    Launch launch{.arguments = arguments,
                  .environment = environment,
                  .out_path = "/dev/fd/" + std::to_string(ends[1]),
                  .err_path = "/dev/fd/" + std::to_string(ends[1])};
    const pid_t pid = start(launch, false);
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) != 0;) {
        if (size < 0 && errno != EINTR) break;
        if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
    }
    close(ends[0]);
    Waited waited;
    wait_for(pid, waited);
    if (!WIFEXITED(waited.status) || WEXITSTATUS(waited.status) != 0)
        throw std::runtime_error(arguments[0] + ": " + text);
    return text;
}

}  // namespace fault
