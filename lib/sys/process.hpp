// Child processes: posix_spawn, scrubbed environment, own session, stdin from /dev/null, no
// inherited descriptors; and the identity of a process that survives the reuse of its pid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

class MountGuard;

// (pid, start time in clock ticks since boot), because a pid can be reused.
struct Identity {
    std::int64_t pid = 0;
    std::int64_t start = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
};

// What runs around the real command. The command leads a process group of its own, which gets
// SIGTERM. The watcher kills everything when it gets SIGTERM; around a sandbox, its child is bwrap,
// and the command is a child of bwrap. The value is the number of these programs.
enum class Around { nothing, watcher, watched_sandbox };

struct ProcessCommand {
    std::vector<std::string> arguments = {};    // program_path() of arguments[0] is executed
    std::vector<std::string> environment = {};  // "NAME=value"
    std::string directory = {};
    std::string input = {};                              // written to stdin; empty: /dev/null
    std::vector<int> keep_fds = {};                      // passed on under the same numbers
    std::vector<std::shared_ptr<const void>> held = {};  // released with the command
    int guarded_fd = -1;  // the watcher keeps it open until the last process is gone
    Around around = Around::nothing;
    std::optional<unsigned> umask = {};      // none: that of this process
    std::shared_ptr<MountGuard> guard = {};  // if it is broken, the command is killed

    // Passes the descriptor on, and keeps it open as long as the command exists.
    int pass(std::shared_ptr<const Fd> fd) {
        keep_fds.push_back(fd->get());
        held.push_back(std::move(fd));
        return keep_fds.back();
    }
};

struct Bounds {
    std::int64_t timeout_ms = 0;          // 0: none
    std::int64_t grace_ms = 5'000;        // between SIGTERM and SIGKILL of the group
    std::size_t output_bytes = 1U << 20;  // kept of the end of stdout and of stderr each
    // Called about every 50 ms and on every output: true ends the command (SIGTERM to the group,
    // grace, SIGKILL).
    std::function<bool()> stop = {};
    // Readable when the result of `stop` may have changed; -1: `stop` is called every 50 ms.
    int stop_fd = -1;
    // Returns the grace when `stop` has ended the command; empty: grace_ms.
    std::function<std::int64_t()> stop_grace_ms = {};
    std::function<void(const Identity&)> started = {};
    enum class Source { out, err };
    std::function<void(Source, std::string_view)> output = {};  // each piece as it is read
};

struct Captured {
    std::string text;  // the last `output_bytes` bytes
    std::uint64_t total_bytes = 0;
};

struct Finished {
    int exit_code = -1;  // -1 when ended by a signal
    int signal = 0;
    bool timed_out = false;
    bool stopped = false;  // `stop` ended it
    std::string replaced;  // message for the user where its guard was broken
    std::int64_t duration_ms = 0;
    Captured out;
    Captured err;
};

// Runs until the main process ends; its pipes get 200 ms more, then everything that it left is
// killed (this process is a subreaper while it runs). Throws Error(failed) when it cannot be
// started. Several threads may run commands at once: a process that left its session is then killed
// when the last command ends, because until then it may belong to any of them.
Finished run(const ProcessCommand& command, const Bounds& bounds);

struct Streams {
    int in = -1;  // -1: /dev/null
    int out = -1;
    int err = -1;
};
// Starts the command and returns; `input` is ignored. The caller waits for it, or exits first.
// Every child that does not come from run() must be started here: run() would kill it as a
// leftover.
Identity start(const ProcessCommand& command, const Streams& streams);

// Returns the path of a program that Chorus itself starts: an absolute path is kept, a name is
// searched in /usr/local/bin, /usr/bin and /bin. PATH is not used, because it may lead into a
// workspace. Throws Error(failed) where no executable is found.
std::string program_path(const std::string& name);
// The same; returns 0 with `path` set, or an error number.
int find_program(const std::string& name, std::string& path);

Identity own_identity();
// Signals only that process, not another one that got its pid since. Returns false where it is
// gone.
bool signal_process(const Identity& identity, int signal);
// Sends SIGTERM, and SIGCONT, because a stopped process handles it only when it continues. A
// program of Chorus takes it as one request however often it is sent. Returns false where it could
// not be sent.
bool ask_to_end(const Identity& identity);
bool is_alive(const Identity& identity);
// Returns parent, grandparent and so on of this process. One that /proc does not show has start 0
// and is the last.
std::vector<Identity> ancestors();
// Returns its children, their children and so on, as they are now.
std::vector<Identity> descendants(const Identity& identity);
std::string boot_id();
// The path of the running executable, links resolved.
std::string executable_path();
// The path of a program in the same directory.
std::string program_beside(const std::string& name);

}  // namespace chorus::sys
