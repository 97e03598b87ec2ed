#include "sys/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

using Directory = base::Handle<DIR, closedir>;

constexpr std::int64_t stop_interval_ms = 50;
// A process that SIGKILL does not end hangs in the kernel; nobody waits for it longer than this.
constexpr int kill_patience_ms = 2'000;
constexpr std::size_t chunk_bytes = 64U << 10;

std::optional<std::string> read_proc(const std::string& path) {
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    std::string text;
    std::array<char, 1024> piece;
    ssize_t count = 0;
    while ((count = read(file.get(), piece.data(), piece.size())) > 0)
        text.append(piece.data(), static_cast<std::size_t>(count));
    if (count < 0) return std::nullopt;
    return text;
}

struct Status {
    char state = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    std::int64_t start = 0;
};

// proc(5): fields from the third on follow the name's last parenthesis, which it may hold itself.
std::optional<Status> status_of(std::int64_t pid) {
    const auto text = read_proc("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
    if (name_end == std::string::npos || name_end + 2 > text->size()) return std::nullopt;
    const auto fields = base::split(std::string_view(*text).substr(name_end + 2), ' ');
    if (fields.size() < 20 || fields[0].empty()) return std::nullopt;
    const auto number = [&](std::size_t index, auto& value) {
        const std::string_view field = fields[index];
        std::from_chars(field.data(), field.data() + field.size(), value);
    };
    Status status;
    status.state = fields[0][0];
    number(1, status.parent);
    number(2, status.group);
    number(3, status.session);
    number(19, status.start);
    return status;
}

std::vector<pid_t> numeric_entries(const char* path) {
    std::vector<pid_t> numbers;
    const Directory directory(opendir(path));
    while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
        const long number = std::strtol(entry->d_name, nullptr, 10);
        if (number > 0) numbers.push_back(static_cast<pid_t>(number));
    }
    return numbers;
}

std::vector<pid_t> children_by_scan(pid_t parent) {
    std::vector<pid_t> children;
    for (const pid_t pid : numeric_entries("/proc")) {
        const auto status = status_of(pid);
        if (status && status->parent == parent) children.push_back(pid);
    }
    return children;
}

// Those of all threads. A kernel without CONFIG_PROC_CHILDREN is asked the long way round.
std::vector<pid_t> children_of(pid_t parent) {
    const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
    std::vector<pid_t> children;
    for (const pid_t thread : numeric_entries(tasks.c_str())) {
        const auto text = read_proc(tasks + "/" + std::to_string(thread) + "/children");
        if (!text) {
            if (thread == parent) return children_by_scan(parent);
            continue;
        }
        for (const std::string_view word : base::split(*text, ' ')) {
            pid_t pid = 0;
            std::from_chars(word.data(), word.data() + word.size(), pid);
            if (pid > 0) children.push_back(pid);
        }
    }
    return children;
}

Identity identity_of(pid_t pid) {
    const auto status = status_of(pid);
    return {pid, status ? status->start : 0};
}

Fd open_pidfd(pid_t pid) {
    return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

struct Actions {
    Actions() { posix_spawn_file_actions_init(&value); }
    ~Actions() { posix_spawn_file_actions_destroy(&value); }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    posix_spawn_file_actions_t value;
};

struct Attributes {
    Attributes() {
        posix_spawnattr_init(&value);
        sigset_t signals;
        sigfillset(&signals);
        posix_spawnattr_setsigdefault(&value, &signals);
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&value, &signals);
        posix_spawnattr_setflags(
            &value, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    ~Attributes() { posix_spawnattr_destroy(&value); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    posix_spawnattr_t value;
};

void connect(Actions& actions, int source, int target) {
    if (source >= 0) {
        posix_spawn_file_actions_adddup2(&actions.value, source, target);
    } else {
        posix_spawn_file_actions_addopen(&actions.value, target, "/dev/null",
                                         target == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    }
}

// Everything from 3 on is closed but `kept`: not all descriptors of the libraries are
// close-on-exec.
void close_the_rest(Actions& actions, std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    int next = 3;
    for (const int fd : kept) {
        for (; next < fd; ++next) posix_spawn_file_actions_addclose(&actions.value, next);
        // Onto itself: what posix_spawn takes for "not close-on-exec".
        posix_spawn_file_actions_adddup2(&actions.value, fd, fd);
        next = std::max(next, fd + 1);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions.value, next);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

std::string path_of(const std::vector<std::string>& environment) {
    for (const std::string& variable : environment)
        if (variable.starts_with("PATH=")) return variable.substr(5);
    return "/usr/local/bin:/usr/bin:/bin";
}

// ENOENT, or EACCES where something of that name is there; 0 sets `found`.
int look_up(const std::string& name, const std::vector<std::string>& environment,
            std::string& found) {
    int problem = ENOENT;
    const std::string path = path_of(environment);
    for (const std::string_view directory : base::split(path, ':')) {
        // A relative entry would find what the workspace holds.
        if (!directory.starts_with('/')) continue;
        found.assign(directory).append("/").append(name);
        struct stat status {};
        if (stat(found.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (faccessat(AT_FDCWD, found.c_str(), X_OK, AT_EACCESS) == 0) return 0;
        problem = EACCES;
    }
    return problem;
}

std::string require_program(const Command& command) {
    if (command.arguments.empty() || command.arguments[0].empty())
        throw base::Error(base::ErrorCode::failed, "no command given");
    const std::string& name = command.arguments[0];
    if (name.find('/') != std::string::npos) return name;
    std::string found;
    if (const int problem = look_up(name, command.environment, found))
        throw base::system_error(name, problem);
    return found;
}

// posix_spawn does not say whether the directory or the program was at fault.
base::Error start_error(const Command& command, int problem) {
    if (!command.directory.empty()) {
        const Fd directory(open(command.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!directory) return base::system_error(command.directory);
    }
    return base::system_error(command.arguments[0], problem);
}

// The error number, or 0 with `pid` set.
int spawn(const Command& command, const Streams& streams, const std::string& program, pid_t& pid) {
    Actions actions;
    connect(actions, streams.in, STDIN_FILENO);
    connect(actions, streams.out, STDOUT_FILENO);
    connect(actions, streams.err, STDERR_FILENO);
    if (!command.directory.empty())
        posix_spawn_file_actions_addchdir_np(&actions.value, command.directory.c_str());
    close_the_rest(actions, command.keep_fds);
    const Attributes attributes;
    return posix_spawn(&pid, program.c_str(), &actions.value, &attributes.value,
                       pointers(command.arguments).data(), pointers(command.environment).data());
}

void await_end(pid_t pid) {
    const Fd process = open_pidfd(pid);
    pollfd wanted{process.get(), POLLIN, 0};
    if (process) poll(&wanted, 1, kill_patience_ms);
}

void reap(pid_t pid) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
}

// The children of this process while commands run. Being a subreaper belongs to the process, so its
// commands share this: orphans come back as children of ours, and stand beside the children that
// are meant to be there.
class Household {
  public:
    pid_t admit(const Command& command, const Streams& streams) {
        const std::string program = require_program(command);
        const std::lock_guard guard(mutex_);
        if (commands_.empty()) open();
        pid_t pid = 0;
        const int problem = spawn(command, streams, program, pid);
        if (problem == 0) commands_.push_back(pid);
        if (commands_.empty()) close();
        if (problem != 0) throw start_error(command, problem);
        return pid;
    }

    // `main` is not reaped yet: its number still names its group and its session, and no other.
    // Kills and reaps it and what it left.
    void dismiss(pid_t main) {
        kill(-main, SIGKILL);
        await_end(main);
        const std::lock_guard guard(mutex_);
        std::erase(commands_, main);
        const std::int64_t until_ms = monotonic_ms() + kill_patience_ms;
        while (sweep(main) && monotonic_ms() < until_ms) continue;
        reap(main);
        if (commands_.empty()) close();
    }

    Identity settle(const Command& command, const Streams& streams) {
        const std::string program = require_program(command);
        const std::lock_guard guard(mutex_);
        pid_t pid = 0;
        if (const int problem = spawn(command, streams, program, pid))
            throw start_error(command, problem);
        settled_.push_back(identity_of(pid));
        return settled_.back();
    }

  private:
    void open() {
        prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        // Inherited as ignored it would let the kernel reap children before they are looked at.
        struct sigaction current {};
        if (sigaction(SIGCHLD, nullptr, &current) == 0 && current.sa_handler == SIG_IGN)
            ::signal(SIGCHLD, SIG_DFL);
        std::erase_if(settled_, [](const Identity& identity) { return !is_alive(identity); });
        older_.clear();
        for (const pid_t pid : children_of(getpid())) older_.push_back(identity_of(pid));
    }

    void close() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_); }

    // One round; true while there was something to kill. What it kills hands its children to us.
    bool sweep(pid_t main) {
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

    bool is_left_by(pid_t main, pid_t pid, const Status& status) const {
        if (status.session == main || status.group == main) return true;
        // It left its command's session: as long as others run it may be theirs.
        if (!commands_.empty()) return false;
        const Identity identity{pid, status.start};
        const auto has = [&](const std::vector<Identity>& all) {
            return std::find(all.begin(), all.end(), identity) != all.end();
        };
        return !has(older_) && !has(settled_);
    }

    std::mutex mutex_;
    std::vector<pid_t> commands_;    // at work now, each the leader of its session
    std::vector<Identity> settled_;  // from start()
    std::vector<Identity> older_;    // there before the first of commands_
    int was_subreaper_ = 0;
};

Household& household() {
    static Household household;
    return household;
}

// A pipe's end below 3 would be overwritten on the way to the child.
Fd above_stdio(Fd fd) {
    if (fd.get() > STDERR_FILENO) return fd;
    Fd moved(fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!moved) throw base::system_error("fcntl");
    return moved;
}

Pipe pipe_above_stdio() {
    Pipe pipe = make_pipe();
    return {above_stdio(std::move(pipe.read_end)), above_stdio(std::move(pipe.write_end))};
}

void make_nonblocking(const Fd& fd) {
    fcntl(fd.get(), F_SETFL, O_NONBLOCK);
}

// Keeps SIGPIPE, which a write may raise, from a process that does not ignore it.
ssize_t write_quietly(int fd, std::string_view bytes) {
    sigset_t pipe_signal;
    sigset_t before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    const int problem = errno;
    if (written < 0 && problem == EPIPE) {
        const timespec now{};
        sigtimedwait(&pipe_signal, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = problem;
    return written;
}

class Execution {
  public:
    Execution(const Command& command, const Bounds& bounds)
        : command_(command), bounds_(bounds), input_(command.input) {}
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    ~Execution() {
        if (main_ > 0) household().dismiss(main_);
    }

    Finished finish() {
        start();
        while (goes_on(monotonic_ms())) wait_and_serve();
        conclude();
        return std::move(result_);
    }

  private:
    enum class Phase { running, asked, killed, ended };

    void start() {
        Pipe out = pipe_above_stdio();
        Pipe err = pipe_above_stdio();
        Pipe in = input_.empty() ? Pipe{} : pipe_above_stdio();
        started_ms_ = monotonic_ms();
        main_ = household().admit(command_,
                                  {in.read_end.get(), out.write_end.get(), err.write_end.get()});
        process_ = open_pidfd(main_);
        if (!process_) throw base::system_error("pidfd_open");
        out_ = std::move(out.read_end);
        err_ = std::move(err.read_end);
        in_ = std::move(in.write_end);
        make_nonblocking(out_);
        make_nonblocking(err_);
        if (in_) make_nonblocking(in_);
        if (bounds_.started) bounds_.started(identity_of(main_));
    }

    bool goes_on(std::int64_t now_ms) {
        switch (phase_) {
            case Phase::running:
                result_.timed_out =
                    bounds_.timeout_ms > 0 && now_ms - started_ms_ >= bounds_.timeout_ms;
                result_.stopped = !result_.timed_out && bounds_.stop && bounds_.stop();
                if (result_.timed_out || result_.stopped) ask_to_end(now_ms);
                return true;
            case Phase::asked:
                if (now_ms >= deadline_ms_) force_to_end(now_ms);
                return true;
            case Phase::killed:
                return now_ms < deadline_ms_;
            case Phase::ended:
                return (out_ || err_) && now_ms < deadline_ms_;
        }
        return false;
    }

    void ask_to_end(std::int64_t now_ms) {
        const pid_t group = command_.wraps ? inner_group() : main_;
        kill(-group, SIGTERM);
        kill(-group, SIGCONT);
        phase_ = Phase::asked;
        deadline_ms_ = now_ms + bounds_.grace_ms;
    }

    // The session inside, or the outer one where it does not stand yet.
    pid_t inner_group() const {
        for (const pid_t child : children_of(main_))
            if (getpgid(child) == child) return child;
        return main_;
    }

    void force_to_end(std::int64_t now_ms) {
        kill(-main_, SIGKILL);
        phase_ = Phase::killed;
        deadline_ms_ = now_ms + kill_patience_ms;
    }

    int poll_ms() const {
        const std::int64_t now_ms = monotonic_ms();
        std::int64_t wait_ms = INT_MAX;
        if (phase_ == Phase::running) {
            if (bounds_.stop) wait_ms = stop_interval_ms;
            if (bounds_.timeout_ms > 0)
                wait_ms = std::min(wait_ms, started_ms_ + bounds_.timeout_ms - now_ms);
        } else {
            wait_ms = std::min(wait_ms, deadline_ms_ - now_ms);
        }
        return static_cast<int>(std::max<std::int64_t>(wait_ms, 0));
    }

    // A closed one is -1, which poll passes over.
    void wait_and_serve() {
        std::array<pollfd, 4> wanted{{{out_.get(), POLLIN, 0},
                                      {err_.get(), POLLIN, 0},
                                      {in_.get(), POLLOUT, 0},
                                      {phase_ == Phase::ended ? -1 : process_.get(), POLLIN, 0}}};
        if (poll(wanted.data(), wanted.size(), poll_ms()) <= 0) return;
        if (wanted[0].revents != 0) read_some(out_, Bounds::Source::out);
        if (wanted[1].revents != 0) read_some(err_, Bounds::Source::err);
        if (wanted[2].revents != 0) feed();
        if (wanted[3].revents != 0) note_end();
    }

    // False when there is nothing more now, or ever.
    bool read_some(Fd& fd, Bounds::Source source) {
        const ssize_t count = read(fd.get(), buffer_.get(), chunk_bytes);
        if (count < 0) return errno == EINTR;
        if (count == 0) {
            fd.reset();
            return false;
        }
        const std::string_view piece(buffer_.get(), static_cast<std::size_t>(count));
        keep(source == Bounds::Source::out ? result_.out : result_.err, piece);
        if (bounds_.output) bounds_.output(source, piece);
        return true;
    }

    // Cut when it is twice as long as wanted, so that each byte is moved about once.
    void keep(Captured& captured, std::string_view piece) const {
        captured.total_bytes += piece.size();
        captured.text += piece;
        if (captured.text.size() >= 2 * bounds_.output_bytes + chunk_bytes) trim(captured);
    }

    void trim(Captured& captured) const {
        if (captured.text.size() > bounds_.output_bytes)
            captured.text.erase(0, captured.text.size() - bounds_.output_bytes);
    }

    void feed() {
        const ssize_t written = write_quietly(in_.get(), input_);
        if (written > 0) input_.remove_prefix(static_cast<std::size_t>(written));
        const bool failed = written < 0 && errno != EAGAIN && errno != EINTR;
        if (failed || input_.empty()) in_.reset();
    }

    void note_end() {
        siginfo_t info{};
        if (waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, WEXITED | WNOWAIT) == 0) {
            const bool exited = info.si_code == CLD_EXITED;
            result_.exit_code = exited ? info.si_status : -1;
            result_.signal = exited ? 0 : info.si_status;
        }
        in_.reset();
        phase_ = Phase::ended;
        deadline_ms_ = monotonic_ms() + base::limits::pipe_grace_ms;
    }

    // The pipes hold at most 64 KiB each by now; a process that could not be killed may refill
    // them.
    void conclude() {
        if (phase_ == Phase::killed) result_.signal = SIGKILL;
        household().dismiss(std::exchange(main_, 0));
        for (int rounds = 0; out_ && rounds < 4 && read_some(out_, Bounds::Source::out);) ++rounds;
        for (int rounds = 0; err_ && rounds < 4 && read_some(err_, Bounds::Source::err);) ++rounds;
        trim(result_.out);
        trim(result_.err);
        result_.duration_ms = monotonic_ms() - started_ms_;
    }

    const Command& command_;
    const Bounds& bounds_;
    std::string_view input_;
    std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(chunk_bytes);
    Finished result_;
    Phase phase_ = Phase::running;
    pid_t main_ = 0;
    std::int64_t started_ms_ = 0;
    std::int64_t deadline_ms_ = 0;
    Fd process_;
    Fd out_;
    Fd err_;
    Fd in_;
};

}  // namespace

Finished run(const Command& command, const Bounds& bounds) {
    return Execution(command, bounds).finish();
}

Identity start(const Command& command, const Streams& streams) {
    return household().settle(command, streams);
}

std::optional<std::string> find_program(const std::string& name,
                                        const std::vector<std::string>& environment) {
    std::string found;
    if (name.find('/') != std::string::npos) {
        found = name;
        if (faccessat(AT_FDCWD, name.c_str(), X_OK, AT_EACCESS) != 0) return std::nullopt;
    } else if (look_up(name, environment, found) != 0) {
        return std::nullopt;
    }
    return found;
}

Identity own_identity() {
    return identity_of(getpid());
}

// A zombie has ended: only its number is left.
bool is_alive(const Identity& identity) {
    const auto status = identity.pid > 0 ? status_of(identity.pid) : std::nullopt;
    return status && status->start == identity.start && status->state != 'Z' &&
           status->state != 'X';
}

std::string boot_id() {
    const auto text = read_proc("/proc/sys/kernel/random/boot_id");
    if (!text) throw base::system_error("/proc/sys/kernel/random/boot_id");
    return std::string(base::trim(*text));
}

std::string executable_path() {
    std::string path(PATH_MAX, '\0');
    const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
    if (size < 0) throw base::system_error("/proc/self/exe");
    path.resize(static_cast<std::size_t>(size));
    return path;
}

}  // namespace chorus::sys
