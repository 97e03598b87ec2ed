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
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

class MountGuard;

// (pid, start time in clock ticks since boot): never a pid alone.
struct Identity {
    std::int64_t pid = 0;
    std::int64_t start = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
};

// What arguments[0] is to the real command, which leads a process group of its own: SIGTERM goes to
// that group. The watcher is asked with SIGTERM to kill all there is; around a sandbox, it has
// bwrap as its child and the command is bwrap's.
enum class Around { nothing, watcher, watched_sandbox };

struct Command {
    std::vector<std::string> arguments = {};    // program_path() of arguments[0] is executed
    std::vector<std::string> environment = {};  // "NAME=value"
    std::string directory = {};
    std::string input = {};                              // written to stdin; empty: /dev/null
    std::vector<int> keep_fds = {};                      // passed on under the same numbers
    std::vector<std::shared_ptr<const void>> held = {};  // what goes with the command
    int guarded_fd = -1;  // the watcher keeps it open until the last process is gone
    Around around = Around::nothing;
    std::optional<unsigned> umask = {};      // none: this process's
    std::shared_ptr<MountGuard> guard = {};  // the command is killed where that is broken
};

struct Bounds {
    std::int64_t timeout_ms = 0;          // 0: none
    std::int64_t grace_ms = 5'000;        // between SIGTERM and SIGKILL of the group
    std::size_t output_bytes = 1U << 20;  // kept of stdout and of stderr each: the end of it
    // Looked at about every 50 ms and on every output: true ends the command (SIGTERM to the group,
    // grace, SIGKILL).
    std::function<bool()> stop = {};
    // Readable when `stop` may have changed its mind; -1: it is asked every 50 ms.
    int stop_fd = -1;
    // The grace where `stop` ended it, asked for then; empty: grace_ms.
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
    std::string replaced;  // what a person is told where its guard was broken
    std::int64_t duration_ms = 0;
    Captured out;
    Captured err;
};

// Runs to the end of the main process; its pipes get 200 ms more, then everything it left behind is
// killed (this process is a subreaper while it runs). Throws Error(failed) when it cannot be
// started. Several threads may run commands at once: what left its session is then killed when the
// last of them ends, because until then nobody can tell whose it is.
Finished run(const Command& command, const Bounds& bounds);

struct Streams {
    int in = -1;  // -1: /dev/null
    int out = -1;
    int err = -1;
};
// Starts it and returns; `input` is not looked at. Whoever called waits for it, or exits first.
// Every child that does not come from run() is to come from here: run() would take it for a
// leftover.
Identity start(const Command& command, const Streams& streams);

// Where a program lies that Chorus itself starts: an absolute path stays, a name is looked for in
// /usr/local/bin, /usr/bin and /bin. PATH, which may lead into a workspace, has no say. Throws
// Error(failed) where nothing there can be executed.
std::string program_path(const std::string& name);
// The same: 0 with `path` set, or an error number.
int find_program(const std::string& name, std::string& path);

Identity own_identity();
// To that very process, not to one that has got its pid since: false where it is gone.
bool signal_process(const Identity& identity, int signal);
// SIGTERM, and SIGCONT for one that is stopped and would hear of it only when it goes on. A program
// of Chorus takes it as one request however often it is sent. False where it could not be sent.
bool ask_to_end(const Identity& identity);
bool is_alive(const Identity& identity);
// Of this process: parent, grandparent and so on. One that /proc does not show has start 0, and is
// the last.
std::vector<Identity> ancestors();
// Its children, theirs and so on, as they are now.
std::vector<Identity> descendants(const Identity& identity);
std::string boot_id();
// The path of the running executable, links resolved.
std::string executable_path();
// Of a program that is installed with it.
std::string program_beside(const std::string& name);

}  // namespace chorus::sys
