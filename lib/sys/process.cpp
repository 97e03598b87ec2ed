#include "sys/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "sys/clock.hpp"
#include "sys/mounts.hpp"
#include "sys/proc_status.hpp"
#include "sys/signals.hpp"
#include "sys/spawn.hpp"

namespace chorus::sys {
namespace {

constexpr std::int64_t stop_interval_ms = 50;
constexpr std::int64_t begin_interval_ms = 10;  // until a sandbox has started its command
constexpr std::int64_t watch_after_ms = 1'000;
constexpr std::int64_t never_ms = std::numeric_limits<std::int64_t>::max();

void make_nonblocking(const Fd& fd) {
    fcntl(fd.get(), F_SETFL, O_NONBLOCK);
}

// A process that SIGKILL does not end hangs in the kernel. Nothing waits for it longer than this.
constexpr int kill_patience_ms = 2'000;

void await_end(pid_t pid) {
    const Fd process = open_pidfd(pid);
    pollfd wanted{process.get(), POLLIN, 0};
    if (process) poll(&wanted, 1, kill_patience_ms);
}

void reap(pid_t pid) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
}

// The children of this process while commands run. Being a subreaper is a property of the process,
// so its commands share this object: orphans become children of this process, beside the children
// that it started itself.
class Household {
  public:
    pid_t admit(const ProcessCommand& command, const Streams& streams) {
        const std::lock_guard guard(mutex_);
        if (commands_.empty()) open();
        pid_t pid = 0;
        const auto problem = spawn(command, streams, pid);
        if (!problem) commands_.push_back(pid);
        if (commands_.empty()) close();
        if (problem) throw base::Error(*problem);
        return pid;
    }

    // Kills and reaps `main` and what it left. `main` must not be reaped before, so that its number
    // still names its group and its session and no other.
    // With `leaves_tasks`, what has left its group goes on.
    void dismiss(pid_t main, bool leaves_tasks) {
        kill(-main, SIGKILL);
        await_end(main);
        const std::lock_guard guard(mutex_);
        std::erase(commands_, main);
        const std::int64_t until_ms = monotonic_ms() + kill_patience_ms;
        while (!leaves_tasks && sweep(main) && monotonic_ms() < until_ms) continue;
        reap(main);
        if (commands_.empty()) close();
    }

    Identity settle(const ProcessCommand& command, const Streams& streams) {
        const std::lock_guard guard(mutex_);
        pid_t pid = 0;
        if (const auto problem = spawn(command, streams, pid)) throw base::Error(*problem);
        settled_.push_back(identity_of(pid));
        return settled_.back();
    }

  private:
    void open() {
        prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        // If SIGCHLD was inherited as ignored, the kernel would reap children before they are
        // examined.
        if (is_ignored(SIGCHLD)) ::signal(SIGCHLD, SIG_DFL);
        std::erase_if(settled_, [](const Identity& identity) { return !is_alive(identity); });
        older_.clear();
        for (const pid_t pid : children_of(getpid())) older_.push_back(identity_of(pid));
    }

    void close() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_); }

    // One round; returns true where there was something to kill. The children of a killed process
    // become children of this one.
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
        // It left its command's session, so while other commands run it may belong to one of them.
        if (!commands_.empty()) return false;
        const Identity identity{pid, status.start};
        const auto has = [&](const std::vector<Identity>& all) {
            return std::find(all.begin(), all.end(), identity) != all.end();
        };
        return !has(older_) && !has(settled_);
    }

    std::mutex mutex_;
    std::vector<pid_t> commands_;    // running, each the leader of its session
    std::vector<Identity> settled_;  // from start()
    std::vector<Identity> older_;    // started before the first of commands_
    int was_subreaper_ = 0;
};

Household& household() {
    static Household household;
    return household;
}

class Execution {
  public:
    Execution(const ProcessCommand& command, const Bounds& bounds)
        : command_(command), bounds_(bounds), input_(command.input) {}
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    ~Execution() {
        if (main_ > 0) dismiss();
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
        // above 2, as every program of Chorus holds the standard descriptors
        Pipe out = make_pipe();
        Pipe err = make_pipe();
        Pipe in = input_.empty() ? Pipe{} : make_pipe();
        started_ms_ = monotonic_ms();
        // the first check can wait: the inner program checks what it mounts, and conclude() checks
        // again
        next_look_ms_ = started_ms_ + stop_interval_ms;
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
        look_after_mounts(now_ms);
        switch (phase_) {
            case Phase::running:
                result_.timed_out =
                    bounds_.timeout_ms > 0 && now_ms - started_ms_ >= bounds_.timeout_ms;
                result_.stopped = !result_.timed_out && bounds_.stop && bounds_.stop();
                if (result_.timed_out || result_.stopped) ask_to_end(now_ms);
                return true;
            case Phase::asked:
                if (!is_told_) is_told_ = tell_to_end();
                if (now_ms >= deadline_ms_) force_to_end(now_ms);
                return true;
            case Phase::killed:
                return now_ms < deadline_ms_;
            case Phase::ended:
                return (out_ || err_) && now_ms < deadline_ms_;
        }
        return false;
    }

    void look_after_mounts(std::int64_t now_ms) {
        const bool runs = phase_ == Phase::running || phase_ == Phase::asked;
        if (!command_.guard || !runs || (!ask_guard_ && now_ms < next_look_ms_)) return;
        if (next_look_ms_ != never_ms && now_ms - started_ms_ >= watch_after_ms) {
            command_.guard->watch();
            next_look_ms_ = never_ms;
        }
        // without events, check at intervals
        if (command_.guard->fd() < 0) next_look_ms_ = now_ms + stop_interval_ms;
        ask_guard_ = false;
        broken_ = command_.guard->replaced();
        if (!broken_.empty()) force_to_end(now_ms);
    }

    void ask_to_end(std::int64_t now_ms) {
        is_told_ = tell_to_end();
        phase_ = Phase::asked;
        const bool own_grace = result_.stopped && bounds_.stop_grace_ms;
        deadline_ms_ = now_ms + (own_grace ? bounds_.stop_grace_ms() : bounds_.grace_ms);
    }

    // Returns false as long as the sandbox has not started the command: nothing passes the signal
    // on. In bwrap's pid namespace the leader of the command's group is its first process, for
    // which the kernel drops SIGTERM; the command is its child.
    bool tell_to_end() const {
        const pid_t group = inner_group();
        if (group == 0) return false;
        if (command_.around == Around::watched_sandbox && children_of(group).empty()) return false;
        kill(-group, SIGTERM);
        kill(-group, SIGCONT);
        return true;
    }

    // Returns the process group of the command itself; 0 where it does not exist yet or any more.
    pid_t inner_group() const {
        pid_t group = main_;
        for (int depth = static_cast<int>(command_.around); depth > 0; --depth) {
            const std::vector<pid_t> children = children_of(group);
            const auto leader = std::find_if(children.begin(), children.end(),
                                             [](pid_t child) { return getpgid(child) == child; });
            if (leader == children.end()) return 0;
            group = *leader;
        }
        return group;
    }

    void force_to_end(std::int64_t now_ms) {
        kill(-main_, command_.around == Around::nothing ? SIGKILL : SIGTERM);
        kill(-main_, SIGCONT);
        phase_ = Phase::killed;
        deadline_ms_ = now_ms + kill_patience_ms;
    }

    int poll_ms() const {
        const std::int64_t now_ms = monotonic_ms();
        std::int64_t wait_ms = INT_MAX;
        if (phase_ == Phase::running) {
            if (bounds_.stop && bounds_.stop_fd < 0) wait_ms = stop_interval_ms;
            if (bounds_.timeout_ms > 0)
                wait_ms = std::min(wait_ms, started_ms_ + bounds_.timeout_ms - now_ms);
        } else {
            wait_ms = std::min(wait_ms, deadline_ms_ - now_ms);
            if (phase_ == Phase::asked && !is_told_) wait_ms = std::min(wait_ms, begin_interval_ms);
        }
        const bool runs = phase_ == Phase::running || phase_ == Phase::asked;
        if (runs && command_.guard && command_.guard->fd() < 0)
            wait_ms = std::min(wait_ms, stop_interval_ms);
        return static_cast<int>(std::max<std::int64_t>(wait_ms, 0));
    }

    // A closed descriptor is -1, which poll(2) ignores.
    void wait_and_serve() {
        std::array<pollfd, 6> wanted{{{out_.get(), POLLIN, 0},
                                      {err_.get(), POLLIN, 0},
                                      {in_.get(), POLLOUT, 0},
                                      {phase_ == Phase::ended ? -1 : process_.get(), POLLIN, 0},
                                      {phase_ == Phase::running ? bounds_.stop_fd : -1, POLLIN, 0},
                                      {command_.guard ? command_.guard->fd() : -1, POLLIN, 0}}};
        if (poll(wanted.data(), wanted.size(), poll_ms()) <= 0) return;
        if (wanted[0].revents != 0) read_some(out_, Bounds::Source::out);
        if (wanted[1].revents != 0) read_some(err_, Bounds::Source::err);
        if (wanted[2].revents != 0) feed();
        ask_guard_ |= wanted[5].revents != 0;
        if (wanted[3].revents != 0) note_end();
    }

    // Returns false when there is nothing more to read now, or at all.
    bool read_some(Fd& fd, Bounds::Source source) {
        const ssize_t count = read(fd.get(), buffer_.data(), Buffer::size());
        if (count < 0) return errno == EINTR;
        if (count == 0) {
            fd.reset();
            return false;
        }
        const std::string_view piece(buffer_.data(), static_cast<std::size_t>(count));
        keep(source == Bounds::Source::out ? result_.out : result_.err, piece);
        if (bounds_.output) bounds_.output(source, piece);
        return true;
    }

    // Cuts the text when it is twice as long as wanted, so that each byte is moved about once.
    void keep(Captured& captured, std::string_view piece) const {
        captured.total_bytes += piece.size();
        captured.text += piece;
        if (captured.text.size() >= 2 * bounds_.output_bytes + Buffer::size()) trim(captured);
    }

    void trim(Captured& captured) const {
        if (captured.text.size() > bounds_.output_bytes)
            captured.text.erase(0, captured.text.size() - bounds_.output_bytes);
    }

    void feed() {
        const ssize_t written = write(in_.get(), input_.data(), input_.size());
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

    // The pipes hold at most 64 KiB each by now. The rounds are limited, because a process that
    // could not be killed may refill them.
    void conclude() {
        if (phase_ == Phase::killed) result_.signal = SIGKILL;
        dismiss();
        for (int rounds = 0; out_ && rounds < 4 && read_some(out_, Bounds::Source::out);) ++rounds;
        for (int rounds = 0; err_ && rounds < 4 && read_some(err_, Bounds::Source::err);) ++rounds;
        trim(result_.out);
        trim(result_.err);
        if (command_.guard && broken_.empty()) broken_ = command_.guard->replaced();
        if (!broken_.empty()) result_.replaced = command_.guard->told(broken_);
        result_.duration_ms = monotonic_ms() - started_ms_;
    }

    // A turn's background tasks outlive its process.
    void dismiss() {
        const bool is_turn = command_.arguments.front().ends_with("/chorus-run");
        household().dismiss(std::exchange(main_, 0), is_turn);
    }

    const ProcessCommand& command_;
    const Bounds& bounds_;
    std::string_view input_;
    Buffer buffer_;
    Finished result_;
    Phase phase_ = Phase::running;
    bool is_told_ = false;  // the command got SIGTERM
    bool ask_guard_ = false;
    std::int64_t next_look_ms_ = 0;
    std::string broken_;
    pid_t main_ = 0;
    std::int64_t started_ms_ = 0;
    std::int64_t deadline_ms_ = 0;
    Fd process_;
    Fd out_;
    Fd err_;
    Fd in_;
};

}  // namespace

Finished run(const ProcessCommand& command, const Bounds& bounds) {
    return Execution(command, bounds).finish();
}

Identity start(const ProcessCommand& command, const Streams& streams) {
    return household().settle(command, streams);
}

}  // namespace chorus::sys
